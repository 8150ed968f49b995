#!/bin/sh
# Installs what the build and the tests need on Debian 12, and only what is missing.
#
#   scripts/install-deps.sh            everything: building, tests, lint, benchmarks
#   scripts/install-deps.sh --build    only what building and running the server needs
#   scripts/install-deps.sh --peer     what the peer of the end-to-end benchmark runs on
#   scripts/install-deps.sh --load     the load generator of the HTTP benchmark
#
# Nothing here starts a daemon: redis-tools holds the Redis server program without its service.
set -eu

build="clang-19 lld-19 llvm-19 g++ cmake ninja-build ccache pkgconf python3
       make xz-utils libboost1.81-dev libssl-dev libcli11-dev
       prometheus-cpp-dev libhowardhinnant-date-dev tzdata"
tests="clang-tidy-19 clang-format-19 libclang-rt-19-dev libgtest-dev
       curl jq ca-certificates openssl redis-tools python3-venv chromium"

# A Node that is there already, from wherever, has brought its npm along.
if command -v node >/dev/null && command -v npm >/dev/null; then node=; else node="nodejs npm"; fi

case "${1-}" in
    --build) wanted="$build $node" ;;
    --peer) wanted=$node ;;
    --load) wanted="wrk" ;;
    '') wanted="$build $tests $node" ;;
    *) echo "usage: $0 [--build | --peer | --load]" >&2; exit 2 ;;
esac

if ! command -v dpkg-query >/dev/null; then
    echo "install-deps: no dpkg here; install the equivalents of:" $wanted >&2
    exit 1
fi

# dpkg-query fails when a name is unknown to it, and still lists the others.
# shellcheck disable=SC2086
have=$(dpkg-query -W -f '${db:Status-Status}:${Package}\n' $wanted 2>/dev/null || true)
missing=
for package in $wanted; do
    case "
$have
" in
        *"
installed:$package
"*) ;;
        *) missing="$missing $package" ;;
    esac
done
[ -n "$missing" ] || exit 0

echo "install-deps: installing$missing"
as_root=
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "install-deps: needs root or sudo" >&2; exit 1; }
    as_root=sudo
fi
$as_root apt-get update -qq
# shellcheck disable=SC2086
$as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends -o Dpkg::Use-Pty=0 $missing
