#!/usr/bin/env bash
# Endurance: bash scripts/soak.sh [--short]. Needs the environment of `make soak` on the path.
# Each part has a limit of time and of memory, and writes a log into soak-out/; what is measured about
# recordings goes to benchmarks/results/endurance.md too. The recordings, which take as long as all the rest,
# are sorted beside it. --short does a part of each.
set -uo pipefail
cd "$(dirname "$0")/.."
out="soak-out"
mkdir -p "$out"
if [ "${1:-}" = --short ]; then
    cases=100 kills=5 rounds=5 recordings=(--only 64 --hours 0.167 --out "$out")
else
    cases=1000 kills=25 rounds=10 recordings=()
fi

part() {                              # name, limit in s, memory in MiB, command
    local name="$1" limit="$2" memory="$3" started=$SECONDS
    shift 3
    if (ulimit -d $((memory * 1024)); timeout --kill-after=30 "$limit" "$@") >"$out/$name.log" 2>&1; then
        echo "== $name: passed, $((SECONDS - started)) s" | tee -a "$out/summary.txt"
    else
        echo "== $name: FAILED after $((SECONDS - started)) s, see $out/$name.log" | tee -a "$out/summary.txt"
    fi
}

export NCPGUI_FUZZ_CASES="$cases" NCPGUI_KILLS="$kills" NCPGUI_MONKEY_ROUNDS="$rounds"
tests=(python -m pytest -q -m "slow or not slow" --timeout 14400)
: >"$out/summary.txt"
part recordings 43200 8192 python -m benchmarks.speed.endurance "${recordings[@]}" &
part damaged-files 7200 4096 "${tests[@]}" tests/fuzz
part full-disks 7200 4096 "${tests[@]}" tests/endurance/test_disk_full_everywhere.py tests/cli/test_disk_full.py \
    tests/gui/test_disk_full.py
part kills 14400 4096 "${tests[@]}" tests/endurance/test_random_kills.py tests/endurance/test_resumed_kills.py \
    tests/endurance/test_killed_write_backs.py \
    tests/session/test_kill.py
part walks 14400 8192 "${tests[@]}" tests/walks
wait
cat "$out/summary.txt"
! grep -q FAILED "$out/summary.txt"
