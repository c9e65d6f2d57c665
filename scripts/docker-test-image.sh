#!/usr/bin/env bash
# Makes test/.cache/docker-test-image.tar: a small Debian or Ubuntu with Python and the running Node, which
# tests of the docker driver import as their image, because a test must not depend on a registry. The mirror
# is the one this machine's own apt uses. Made anew only when this file, the release or Node changes.
set -euo pipefail
cd "$(dirname "$0")/.."

cache=test/.cache
image=$cache/docker-test-image.tar
stamp=$cache/docker-test-image.stamp

skip() {
  echo "The image for the tests of the docker driver was not made: $1. Those tests are skipped, and say so." >&2
  rm -f "$image" "$stamp"
  exit 0
}

[ "$(uname -s)" = Linux ] || skip "this is no Linux"
for program in debootstrap dockerd apt-get; do
  PATH=$PATH:/usr/sbin:/sbin command -v "$program" >/dev/null || skip "$program is missing"
done
[ "$(id -u)" -eq 0 ] || skip "debootstrap and dockerd need root"

release=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
node=$(node -p process.execPath)
wanted="$(sha256sum "$0" | cut -d ' ' -f 1) $release $("$node" --version) $(uname -m)"
[ -f "$image" ] && [ "$(cat "$stamp" 2>/dev/null)" = "$wanted" ] && exit 0

mirror=$(apt-get indextargets --format '$(SITE) $(CODENAME) $(COMPONENT)' 'Created-By: Packages' |
  awk -v release="$release" '$2 == release && $3 == "main" { print $1; exit }')
[ -n "$mirror" ] || skip "apt knows no mirror of \"$release\""

echo "Making the image for the tests of the docker driver (about a minute, once) …"
mkdir -p "$cache"
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
chmod 755 "$root"
if ! debootstrap --variant=minbase --include=python3,libstdc++6 "$release" "$root" "$mirror" >"$cache/debootstrap.txt" 2>&1; then
  tail -n 5 "$cache/debootstrap.txt" >&2
  skip "debootstrap failed"
fi
install -m 755 "$node" "$root/usr/local/bin/node"
# A container has no machine of its own.
rm -f "$root/etc/machine-id"
tar -C "$root" -cf "$image.new" --exclude='./var/cache/apt/*' --exclude='./var/lib/apt/lists/*' \
  --exclude='./usr/share/doc/*' --exclude='./usr/share/locale/*' --exclude='./usr/share/man/*' .
mv "$image.new" "$image"
echo "$wanted" >"$stamp"
