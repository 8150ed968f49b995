#!/bin/sh
# Puts the packages that the web console is built from into console/node_modules, as its lock file
# says; with --tests also those that its tests need. Does nothing, and needs no network, when they
# are there.
set -eu
cd "$(dirname "$0")/../console"

set_wanted() {
    wanted="$1 $(sha256sum package-lock.json | cut -d ' ' -f 1)"
    stamp=node_modules/.flowfabric
}

present() {
    [ -f "$stamp" ] && { [ "$(cat "$stamp")" = "$wanted" ] || [ "$(cat "$stamp")" = "all ${wanted#* }" ]; }
}

case "${1-}" in
    '') set_wanted build; omit=--omit=dev ;;
    --tests) set_wanted all; omit= ;;
    *) echo "usage: $0 [--tests]" >&2; exit 2 ;;
esac

if present; then
    exit 0
fi
command -v npm >/dev/null || {
    echo 'get-console-packages: no npm here; run scripts/install-deps.sh --build, or configure with -DFF_CONSOLE=OFF' >&2
    exit 1
}
# Two build folders may come here at a time.
exec 9>.lock
flock 9
if present; then
    exit 0
fi
# shellcheck disable=SC2086
npm ci $omit --ignore-scripts --no-audit --no-fund --loglevel=error
echo "$wanted" >"$stamp"
