#!/usr/bin/env bash
# Makes test/.cache/docker-test-image.tar: the essential packages of this Debian or Ubuntu with Python and the
# running Node, which tests of the docker driver import as their image, because a test must not depend on a
# registry. The files are this machine's own, so it takes seconds and no network. Made anew only when this
# file, those packages or Node change.
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
for program in dockerd dpkg-query apt-cache; do
  PATH=$PATH:/usr/sbin:/sbin command -v "$program" >/dev/null || skip "$program is missing"
done
[ "$(id -u)" -eq 0 ] || skip "dockerd needs root"
dpkg-query -W python3 >/dev/null 2>&1 || skip "the package python3 is missing"

essential=$(dpkg-query -Wf '${Package} ${Essential}\n' | awk '$2 == "yes" { print $1 }')
# Word splitting is meant: these are lists of names. A dependency that is only virtual is not installed.
packages=$(apt-cache depends --recurse --installed --no-recommends --no-suggests --no-conflicts --no-breaks \
  --no-replaces --no-enhances $essential python3 libstdc++6 | grep -E '^[a-z0-9]' | sort -u)
installed=$(dpkg-query -Wf '${db:Status-Abbrev}${binary:Package} ${Version}\n' $packages 2>/dev/null | grep '^ii' || true)
node=$(node -p process.execPath)
wanted=$({ sha256sum <"$0"; echo "$installed"; "$node" --version; uname -m; } | sha256sum)
[ -f "$image" ] && [ "$(cat "$stamp" 2>/dev/null)" = "$wanted" ] && exit 0

echo "Making the image for the tests of the docker driver …"
mkdir -p "$cache"
list=$(mktemp)
trap 'rm -f "$list" "$image.new"' EXIT
# A package may name a file by a folder that is a link on this machine, such as /bin: the link comes along.
echo "$installed" | sed 's/^ii *//; s/ .*//' | xargs dpkg -L | python3 -c '
import os, re, sys
left_out = re.compile("/(etc|usr/share/(doc|man|info|locale|lintian|bug|zoneinfo))/")
found = {f"/{name}" for name in os.listdir("/") if os.path.islink(f"/{name}")}
for path in sys.stdin.read().splitlines():
    place = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
    if not left_out.match(place) and (os.path.islink(place) or os.path.isfile(place)):
        found.add(place)
print(*sorted(place[1:] for place in found), sep="\n")' >"$list"
for extra in etc/ld.so.cache etc/alternatives/awk; do [ ! -e "/$extra" ] || echo "$extra" >>"$list"; done
tar -C / -cf "$image.new" --no-recursion -T "$list"
tar -C /usr/share/base-passwd -rf "$image.new" --transform 's|\(.*\)\.master|etc/\1|' passwd.master group.master
tar -C "$(dirname "$node")" -rf "$image.new" --transform 's|^|usr/local/bin/|' "$(basename "$node")"
mv "$image.new" "$image"
echo "$wanted" >"$stamp"
