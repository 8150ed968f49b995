# Reads packages of a newer Debian release without touching the machine's own apt. Sourced by the
# scripts that need one, after they have set `tool` (their name, for messages) and `tools` (the folder
# .tools).
#
# apt runs with a configuration, a sources list and a state of its own below the work folder, so the
# machine's are only read: the mirror and the proxy are taken from them.

release=trixie

fail() { echo "$tool: $*" >&2; exit 1; }

as_root() {
    if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}

# distribution_has <package> <least version>: whether the machine's own release offers it.
distribution_has() {
    candidate=$(apt-cache policy "$1" 2>/dev/null | sed -n 's/^ *Candidate: //p')
    [ -n "$candidate" ] && [ "$candidate" != "(none)" ] && dpkg --compare-versions "$candidate" ge "$2"
}

install_package() {
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$1"
}

# The archive that the machine's own release comes from.
mirror() {
    codename=$(. /etc/os-release && echo "${VERSION_CODENAME-}")
    apt-get indextargets --format '$(RELEASE) $(REPO_URI)' 'Created-By: Packages' |
        awk -v release="$codename" '$1 == release { print $2; exit }'
}

# open_archive <folder> <deb | deb-src>: from here on apt-get reads the newer release.
open_archive() {
    apt=$1
    mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
    : >"$apt/status"
    uri=$(mirror)
    [ -n "$uri" ] || fail "no archive of this machine's release among its apt sources"
    signed=
    keyring=/usr/share/keyrings/debian-archive-keyring.gpg
    [ ! -r "$keyring" ] || signed="[signed-by=$keyring] "
    echo "$2 ${signed}${uri} $release main" >"$apt/sources.list"
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
}

# publish <made> <name>: .tools/<name> appears whole or not at all, so that an interrupted run leaves
# nothing that looks finished.
publish() {
    rm -rf "${tools:?}/$2"
    mv -T "$1" "$tools/$2"
}
