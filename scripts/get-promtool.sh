#!/bin/sh
# Puts promtool, which the tests hold /metrics to, into .tools/prometheus. It is unpacked from the distribution's package
# `prometheus` and not installed, because the package would start a service. Does nothing when it is there.
set -eu
cd "$(dirname "$0")/.."

tool=.tools/prometheus/promtool
[ -x "$tool" ] && exit 0
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
download() { (cd "$folder" && apt-get download -qq -o APT::Sandbox::User=root prometheus); }
if ! download 2>/dev/null; then
    # A machine that has never fetched the list of packages.
    if [ "$(id -u)" -eq 0 ]; then apt-get update -qq; else sudo apt-get update -qq; fi
    download || { echo 'get-promtool: cannot fetch the package prometheus' >&2; exit 1; }
fi
dpkg-deb --extract "$folder"/prometheus_*.deb "$folder/root"
mkdir -p "$(dirname "$tool")"
cp "$folder/root/usr/bin/promtool" "$tool"
echo "get-promtool: $("$tool" --version 2>&1 | head -1)"
