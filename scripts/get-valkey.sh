#!/bin/sh
# Puts the stores that the tests start into .tools: valkey/valkey-{server,cli,benchmark} (8.1) and
# redis/redis-{server,cli} (the distribution's). Does nothing when they are there.
#
# Debian 12 has no Valkey. There it comes from Debian 13's packages, unpacked into a private folder
# together with the libraries it needs, because its libc is newer, and started through their own
# loader.
set -eu
cd "$(dirname "$0")/.."

packages="valkey-tools libc6 libssl3t64 libjemalloc2 liblzf1 libsystemd0 libatomic1 libcap2
          libgcrypt20 liblz4-1 liblzma5 libzstd1 libgpg-error0 libgcc-s1 zlib1g"
programs="valkey-server valkey-cli valkey-benchmark"
tools=$PWD/.tools
tool=get-valkey
. scripts/newer-debian.sh

# The server and its checker are one program that looks at its own name.
link_redis() {
    [ -x /usr/bin/redis-check-rdb ] || fail "redis-tools is not installed; run scripts/install-deps.sh"
    mkdir -p "$tools/redis"
    ln -sfn /usr/bin/redis-check-rdb "$tools/redis/redis-server"
    ln -sfn /usr/bin/redis-cli "$tools/redis/redis-cli"
}

link_distribution() {
    [ -x /usr/bin/valkey-cli ] || install_package valkey-tools
    ln -sfn /usr/bin/valkey-check-rdb "$1/valkey-server"
    ln -sfn /usr/bin/valkey-cli "$1/valkey-cli"
    ln -sfn /usr/bin/valkey-benchmark "$1/valkey-benchmark"
}

fetch() {
    open_archive "$1" deb
    mkdir -p "$1/debs"
    # shellcheck disable=SC2086
    (cd "$1/debs" && apt-get download -qq $packages) || fail "cannot fetch the packages from $uri"
}

unpack() {
    apt=$1 folder=$2
    for deb in "$apt"/debs/*.deb; do
        dpkg -x "$deb" "$folder/root"
    done
    triplet=$(basename "$(dirname "$(find "$folder/root/usr/lib" -name 'libc.so.6' | head -n 1)")")
    loader=$(find "$folder/root/usr/lib/$triplet" -name 'ld-linux-*' | head -n 1)
    [ -n "$loader" ] || fail "no loader among the unpacked libraries"
    ln -sfn valkey-check-rdb "$folder/root/usr/bin/valkey-server"
    for program in $programs; do
        # exec, so that the process that was started is the server and a signal to it arrives.
        cat >"$folder/$program" <<WRAPPER
#!/bin/sh
root=\${0%/*}/root/usr
exec "\$root/lib/$triplet/${loader##*/}" --library-path "\$root/lib/$triplet" "\$root/bin/$program" "\$@"
WRAPPER
        chmod 755 "$folder/$program"
    done
}

link_redis
if [ -x "$tools/valkey/valkey-server" ]; then
    exit 0
fi
work=$tools/valkey.new.$$
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/valkey"
if distribution_has valkey-tools 8; then
    link_distribution "$work/valkey"
else
    fetch "$work/apt"
    unpack "$work/apt" "$work/valkey"
fi
version=$("$work/valkey/valkey-server" --version) || fail "the server does not start"
publish "$work/valkey" valkey
echo "get-valkey: $version"
