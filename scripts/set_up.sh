#!/usr/bin/env bash
# Sets up ncpgui in a virtual environment: bash scripts/set_up.sh app|test|dev|bench|docs
# Installs missing system libraries with apt-get when run as root, else prints the line to run.
# Quick when there is nothing to do; PYTHON and VENV say which Python and where.
set -euo pipefail
cd "$(dirname "$0")/.."
what="${1:-app}"
python="${PYTHON:-python3}"
venv="${VENV:-.venv}"
cpu_builds=https://download.pytorch.org/whl/cpu

say() { printf '== %s\n' "$*" >&2; }
die() { printf 'error: %s\n' "$*" >&2; exit 1; }

command -v "$python" >/dev/null || die "'$python' is not installed; install Python 3.10 to 3.13"
"$python" -c 'import sys; sys.exit(not (3, 10) <= sys.version_info[:2] <= (3, 13))' \
    || die "ncpgui needs Python 3.10 to 3.13, '$python' is $("$python" -V 2>&1); make PYTHON=python3.12 ..."

bash scripts/system_packages.sh "$python"

if ! "$venv/bin/python" -c 'import pip' 2>/dev/null; then
    say "creating $venv"
    rm -rf "$venv"
    "$python" -m venv "$venv" || die "'$python -m venv $venv' failed; see the message above"
fi

if [ "$what" = docs ] && ! "$venv/bin/python" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
    die "the documentation is built with Python 3.11 to 3.13; make docs PYTHON=python3.12 VENV=.venv-docs"
fi
case "$what" in
    app) target="." ;;
    test) target=".[test]" ;;
    dev) target=".[dev]" ;;
    bench) target=".[dev,bench]" ;;
    docs) target=".[docs]" ;;
    *) die "unknown environment '$what'; use app, test, dev, bench or docs" ;;
esac
say "installing ncpgui and the packages pinned in constraints.txt (minutes the first time)"
install=("$venv/bin/python" -m pip install --disable-pip-version-check)
if [ ! -t 1 ]; then install+=(--quiet --quiet); fi    # errors only, unless somebody watches

# On Linux the torch of PyPI brings CUDA, gigabytes of it. Without an NVIDIA GPU the CPU build does.
if [ "$(uname -s)" = Linux ] && ! command -v nvidia-smi >/dev/null \
        && ! "$venv/bin/python" -c 'import importlib.metadata as m; m.version("torch")' 2>/dev/null; then
    "${install[@]}" --no-deps --retries 1 --index-url "$cpu_builds" "$(grep '^torch==' constraints.txt)" \
        2>/dev/null || say "no CPU build of torch at $cpu_builds; taking the one that pip finds"
fi
"${install[@]}" -c constraints.txt -e "$target"
touch "$venv/.ready"
if [ "$what" != app ]; then touch "$venv/.ready-$what"; fi
say "ready: $venv/bin/ncpgui"
