#!/bin/sh
# Puts the LuaJIT that the embedded store runs on into .tools/luajit: lib/libluajit.a and include/.
# Does nothing when the pinned one is there.
#
# Debian 12's own package is a snapshot of March 2022 whose compiled loops over pairs() can end early;
# docs/reliability.md tells what that did. This is the source of Debian 13's package, built with the
# compiler of the project. A distribution whose package is at least as new is used as it is.
set -eu
cd "$(dirname "$0")/.."

version=2.1.0+openresty20250117
source_sha256=99ad5fdfa85e08a291454f797f625fbb53f4d2129cac063922255a1fe34ccf1c
tools=$PWD/.tools
tool=get-luajit
. scripts/newer-debian.sh

# Position independent, so that it can be linked into shared libraries, too.
flags="CC=clang-19 BUILDMODE=static XCFLAGS=-fPIC"
pinned="$version $source_sha256 $flags"

link_distribution() {
    [ -r /usr/include/luajit-2.1/luajit.h ] || install_package libluajit-5.1-dev
    archive=$(find /usr/lib -name libluajit-5.1.a | head -n 1)
    [ -n "$archive" ] || fail "libluajit-5.1-dev holds no static library"
    mkdir -p "$1/lib"
    ln -sfn "$archive" "$1/lib/libluajit.a"
    ln -sfn /usr/include/luajit-2.1 "$1/include"
}

# fetch <work folder>: the source, checked against both the signed index of the release and the pin.
fetch() {
    open_archive "$1/apt" deb-src
    line=$(apt-get source --print-uris luajit 2>/dev/null | grep '\.orig\.tar\.xz') ||
        fail "$release at $uri lists no source of luajit"
    case $line in
        *"SHA256:$source_sha256") ;;
        *) fail "$release has another luajit than the pinned $version: $line" ;;
    esac
    address=$(echo "$line" | sed "s/^'\([^']*\)'.*/\1/")
    /usr/lib/apt/apt-helper -qq download-file "$address" "$1/source.tar.xz" "SHA256:$source_sha256" ||
        fail "cannot fetch $address"
    mkdir -p "$1/source"
    tar -xJf "$1/source.tar.xz" -C "$1/source" --strip-components=1
}

# build <source> <target>
build() {
    # shellcheck disable=SC2086
    make -s -j "$(nproc)" -C "$1/src" $flags libluajit.a >"$1/build.log" 2>&1 ||
        { cat "$1/build.log" >&2; fail "the build failed"; }
    mkdir -p "$2/lib" "$2/include"
    cp "$1/src/libluajit.a" "$2/lib/"
    for header in lua.h lualib.h lauxlib.h luaconf.h luajit.h lua.hpp; do
        cp "$1/src/$header" "$2/include/"
    done
}

if [ -f "$tools/luajit/pinned" ] && [ "$(cat "$tools/luajit/pinned")" = "$pinned" ]; then
    exit 0
fi
work=$tools/luajit.new.$$
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/luajit"
if distribution_has libluajit-5.1-dev "$version"; then
    link_distribution "$work/luajit"
else
    fetch "$work"
    # make sets these when it calls this script; LuaJIT's Makefile must not see them.
    (unset MAKEFLAGS MFLAGS MAKELEVEL; build "$work/source" "$work/luajit")
fi
echo "$pinned" >"$work/luajit/pinned"
publish "$work/luajit" luajit
echo "get-luajit: $(sed -n 's/^#define LUAJIT_VERSION[[:space:]]*"\(.*\)"/\1/p' "$tools/luajit/include/luajit.h")"
