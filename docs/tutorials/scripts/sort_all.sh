#!/usr/bin/env bash
# Sort every recording of a folder, one after the other: bash sort_all.sh RECORDINGS SORTED [options of ncpgui sort]
# What is sorted already is left alone, and what was stopped goes on. Logs lie beside the sessions.
set -euo pipefail
recordings="$1"
sorted="$2"
shift 2
mkdir -p "$sorted"
failed=0
for recording in "$recordings"/*; do
    name="$(basename "$recording")"
    if [ -e "$sorted/$name.h5" ]; then continue; fi
    echo "sorting $recording"
    if ncpgui sort "$recording" --out "$sorted/$name.h5" --resume "$@" 2>>"$sorted/$name.log"; then
        ncpgui export "$sorted/$name.h5" --format phy --out "$sorted/$name-phy" 2>>"$sorted/$name.log"
    else
        echo "failed: $recording; see $sorted/$name.log" >&2
        failed=1
    fi
done
exit "$failed"
