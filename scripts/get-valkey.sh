#!/bin/sh
# Puts the stores that the tests start into .tools: valkey/valkey-{server,cli,benchmark} (8.1) and
# redis/redis-{server,cli} (the distribution's). Does nothing when they are there.
#
# Debian 12 has no Valkey. There it comes from Debian 13's packages, unpacked into a private folder
# together with the libraries it needs, because its libc is newer, and started through their own
# loader. apt runs with a configuration, a sources list and a state of its own below .tools, so the
# machine's are only read: the mirror and the proxy are taken from them.
set -eu
cd "$(dirname "$0")/.."

release=trixie
packages="valkey-tools libc6 libssl3t64 libjemalloc2 liblzf1 libsystemd0 libatomic1 libcap2
          libgcrypt20 liblz4-1 liblzma5 libzstd1 libgpg-error0 libgcc-s1 zlib1g"
programs="valkey-server valkey-cli valkey-benchmark"
tools=$PWD/.tools

fail() { echo "get-valkey: $*" >&2; exit 1; }

# The server and its checker are one program that looks at its own name.
link_redis() {
    [ -x /usr/bin/redis-check-rdb ] || fail "redis-tools is not installed; run scripts/install-deps.sh"
    mkdir -p "$tools/redis"
    ln -sfn /usr/bin/redis-check-rdb "$tools/redis/redis-server"
    ln -sfn /usr/bin/redis-cli "$tools/redis/redis-cli"
}

distribution_has_valkey() {
    candidate=$(apt-cache policy valkey-tools 2>/dev/null | sed -n 's/^ *Candidate: //p')
    [ -n "$candidate" ] && dpkg --compare-versions "$candidate" ge 8
}

link_distribution() {
    as_root=
    [ "$(id -u)" -eq 0 ] || as_root=sudo
    [ -x /usr/bin/valkey-cli ] ||
        $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends valkey-tools
    ln -sfn /usr/bin/valkey-check-rdb "$1/valkey-server"
    ln -sfn /usr/bin/valkey-cli "$1/valkey-cli"
    ln -sfn /usr/bin/valkey-benchmark "$1/valkey-benchmark"
}

# The archive that the machine's own release comes from.
mirror() {
    codename=$(. /etc/os-release && echo "${VERSION_CODENAME-}")
    apt-get indextargets --format '$(RELEASE) $(REPO_URI)' 'Created-By: Packages' |
        awk -v release="$codename" '$1 == release { print $2; exit }'
}

fetch() {
    apt=$1
    mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" "$apt/debs"
    : >"$apt/status"
    uri=$(mirror)
    [ -n "$uri" ] || fail "no archive of this machine's release among its apt sources"
    signed=
    keyring=/usr/share/keyrings/debian-archive-keyring.gpg
    [ ! -r "$keyring" ] || signed="[signed-by=$keyring] "
    echo "deb ${signed}${uri} $release main" >"$apt/sources.list"
    # How to reach the network is the machine's business; hooks and sources are not wanted.
    apt-config dump | grep '^Acquire::' | grep -v '^Acquire::IndexTargets' >"$apt/apt.conf" || true
    cat >>"$apt/apt.conf" <<CONF
Dir::Etc::main "/dev/null";
Dir::Etc::parts "/dev/null";
Dir::Etc::sourcelist "$apt/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::Etc::preferences "/dev/null";
Dir::Etc::preferencesparts "/dev/null";
Dir::State "$apt";
Dir::State::status "$apt/status";
Dir::Cache "$apt/cache";
APT::Sandbox::User "";
Acquire::Languages "none";
Acquire::Retries "3";
CONF
    export APT_CONFIG="$apt/apt.conf"
    apt-get update -qq || fail "cannot read $release from $uri"
    # shellcheck disable=SC2086
    (cd "$apt/debs" && apt-get download -qq $packages) || fail "cannot fetch the packages from $uri"
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
if distribution_has_valkey; then
    link_distribution "$work/valkey"
else
    fetch "$work/apt"
    unpack "$work/apt" "$work/valkey"
fi
version=$("$work/valkey/valkey-server" --version) || fail "the server does not start"
# Appears whole or not at all, so that an interrupted run leaves nothing that looks finished.
rm -rf "$tools/valkey"
mv -T "$work/valkey" "$tools/valkey"
echo "get-valkey: $version"
