#!/usr/bin/env bash
# Sets up the sorters and windows that the benchmarks compare with, each in an environment of its own:
#   bash scripts/set_up_peers.sh [mountainsort5 spykingcircus2 tridesclous2 lupin kilosort4 phy spikeinterface-gui mearec]
# PYTHON says which Python; NCPGUI_PEERS where the environments lie [.peers]. Quick when there is nothing to do.
# Left out unless named: kilosort4, which is slow without an NVIDIA GPU; phy and spikeinterface-gui, the windows
# (phy needs OpenGL and a display: Mesa and Xvfb will do); and mearec, a generator of recordings (it needs a C compiler).
set -euo pipefail
cd "$(dirname "$0")/.."
python="${PYTHON:-python3}"
peers="${NCPGUI_PEERS:-.peers}"
cpu_builds=https://download.pytorch.org/whl/cpu
spikeinterface="$(grep '^spikeinterface==' constraints.txt)"
# psutil: without it SpikeInterface filters again on each pass; the others: what its sorters import unasked.
shared=("$spikeinterface" psutil pandas networkx scipy scikit-learn numba)

say() { printf '== %s\n' "$*" >&2; }
die() { printf 'error: %s\n' "$*" >&2; exit 1; }

if [ $# = 0 ]; then set -- mountainsort5 spykingcircus2 tridesclous2 lupin; fi
for name in "$@"; do
    needs_torch=false
    packages=(-c constraints.txt "${shared[@]}")
    case "$name" in
        mountainsort5) own=("mountainsort5>=0.5") ;;
        spykingcircus2) own=("hdbscan>=0.8.33"); needs_torch=true ;;   # torch: its motion correction
        tridesclous2) own=("hdbscan>=0.8.33" "isosplit6>=0.1") ;;
        lupin) own=("hdbscan>=0.8.33" "isosplit6>=0.1"); needs_torch=true ;;
        kilosort4) own=("kilosort>=4.1.1"); needs_torch=true ;;
        phy) own=("phy>=2.1" PyQtWebEngine) ;;   # its tables are web pages
        spikeinterface-gui) own=("spikeinterface-gui>=0.14" PyQt5 pyqtgraph glasbey) ;;   # glasbey: its colours
        mearec)   # its cell models do not compile with NEURON 9, and NEURON 8 is of the days of NumPy 1
            own=("MEArec>=1.10,<1.12" "LFPy>=2.3,<2.3.7" "neuron>=8.2,<9" "elephant<1.2" setuptools)
            packages=("numpy<2") ;;
        *) die "no peer '$name'; there are mountainsort5, spykingcircus2, tridesclous2, lupin, kilosort4, phy, spikeinterface-gui and mearec" ;;
    esac
    place="$peers/$name"
    if [ -f "$place/.ready" ]; then continue; fi
    say "setting up $name in $place (minutes)"
    rm -rf "$place"
    "$python" -m venv "$place"
    install=("$place/bin/python" -m pip install --disable-pip-version-check)
    if [ ! -t 1 ]; then install+=(--quiet --quiet); fi
    if $needs_torch && [ "$(uname -s)" = Linux ] && ! command -v nvidia-smi >/dev/null; then
        "${install[@]}" --no-deps --retries 1 --index-url "$cpu_builds" "$(grep '^torch==' constraints.txt)" \
            || say "no CPU build of torch at $cpu_builds; taking the one that pip finds"
    fi
    if $needs_torch; then own+=("$(grep '^torch==' constraints.txt)"); fi
    "${install[@]}" "${packages[@]}" "${own[@]}" || die "$name cannot be installed; see above"
    touch "$place/.ready"
done
say "ready: $*"
