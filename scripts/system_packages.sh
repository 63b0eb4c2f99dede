#!/usr/bin/env bash
# The system libraries that PyQt5 needs, and python3-venv: checks, and installs what is missing.
# As root on Debian or Ubuntu it runs apt-get; otherwise it prints the exact line to run and stops.
# Names differ between releases (libglib2.0-0 became libglib2.0-0t64): the first that exists is taken.
set -euo pipefail
python="${1:-python3}"

# shared library : Debian packages that may hold it
libraries="
libGL.so.1:libgl1
libEGL.so.1:libegl1
libglib-2.0.so.0:libglib2.0-0t64 libglib2.0-0
libgthread-2.0.so.0:libglib2.0-0t64 libglib2.0-0
libfontconfig.so.1:libfontconfig1
libdbus-1.so.3:libdbus-1-3
libX11-xcb.so.1:libx11-xcb1
libxkbcommon.so.0:libxkbcommon0
libxkbcommon-x11.so.0:libxkbcommon-x11-0
libxcb-icccm.so.4:libxcb-icccm4
libxcb-image.so.0:libxcb-image0
libxcb-keysyms.so.1:libxcb-keysyms1
libxcb-randr.so.0:libxcb-randr0
libxcb-render-util.so.0:libxcb-render-util0
libxcb-shape.so.0:libxcb-shape0
libxcb-xinerama.so.0:libxcb-xinerama0
libxcb-xkb.so.1:libxcb-xkb1
"

[ "$(uname -s)" = Linux ] || exit 0   # the wheels of PyQt5 bring everything on macOS and Windows

ldconfig="$(command -v ldconfig || echo /sbin/ldconfig)"
known="$("$ldconfig" -p 2>/dev/null || true)"
missing=()                            # one entry each: the candidates, separated by spaces
lacking=()                            # the libraries themselves, for people without apt
while IFS=: read -r library packages; do
    [ -n "$library" ] || continue
    case "$known" in
        *"$library "*) ;;
        *) missing+=("$packages"); lacking+=("$library") ;;
    esac
done <<< "$libraries"

if [ -z "$(find /usr/share/fonts /usr/local/share/fonts "${HOME:-/}/.fonts" "${HOME:-/}/.local/share/fonts" \
        -name '*.[to]tf' -print -quit 2>/dev/null)" ]; then
    missing+=("fonts-dejavu-core"); lacking+=("a TrueType font")
fi
if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
    version="$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')"
    missing+=("python$version-venv python3-venv"); lacking+=("python3-venv")
fi
[ ${#missing[@]} -gt 0 ] || exit 0

if ! command -v apt-get >/dev/null; then
    printf 'warning: these seem to be missing: %s; if the window does not open, install them\n' \
        "${lacking[*]}" >&2
    exit 0
fi

first_known() {                       # the first of the names that apt knows, else the last one
    local name
    for name in "$@"; do
        if [ -n "$(apt-cache madison "$name" 2>/dev/null)" ]; then echo "$name"; return; fi
    done
    echo "$name"
}

root=$([ "$(id -u)" = 0 ] && echo yes || echo no)
if [ "$root" = yes ]; then
    echo "== installing system libraries: ${lacking[*]}" >&2
    DEBIAN_FRONTEND=noninteractive apt-get update -qq >&2 || true
fi
packages=()
for candidates in "${missing[@]}"; do
    # shellcheck disable=SC2086  # the candidates are separated by spaces
    packages+=("$(first_known $candidates)")
done
mapfile -t packages < <(printf '%s\n' "${packages[@]}" | sort -u)

line="apt-get install -y --no-install-recommends ${packages[*]}"
if [ "$root" = yes ]; then
    log="$(mktemp)"
    trap 'rm -f "$log"' EXIT
    # shellcheck disable=SC2086
    DEBIAN_FRONTEND=noninteractive $line -qq >"$log" 2>&1 && exit 0
    tail -n 20 "$log" >&2
    printf 'error: the system libraries above could not be installed; try: %s\n' "$line" >&2
    exit 1
fi
printf 'error: system libraries are missing. Run this line, then try again:\n    sudo %s\n' "$line" >&2
exit 1
