#!/usr/bin/env bash
# Runs the hostile programs and the protections of the sandbox as a plain user without a cgroup, which is what most people have.
# Started as root it copies what the tests need to a folder of that user (TUTTI_TEST_USER, nobody unless set) and runs them there.
set -euo pipefail
cd "$(dirname "$0")/.."

tests=(test/sandbox-hostile.test.ts test/sandbox-protections.test.ts)
if [ "$(id -u)" -ne 0 ]; then
  exec npx vitest run "${tests[@]}" "$@"
fi

user=${TUTTI_TEST_USER:-nobody}
as_user=(setpriv --reuid="$user" --regid="$(id -g "$user")" --clear-groups --inh-caps=-all)
folder=$(mktemp -d /tmp/tutti-user.XXXXXX)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/tutti" "$folder/home" "$folder/tmp"
# Files that git knows or would add, as they are now.
git ls-files -z --cached --others --exclude-standard -- ':!node_modules' |
  while IFS= read -rd '' file; do [ -f "$file" ] && printf '%s\0' "$file"; done |
  tar -c --null -T - | tar -x -C "$folder/tutti"
cp -r dist "$folder/tutti/dist"
chmod 755 "$folder"
chown -R "$user:" "$folder"
# Large, so the packages are copied only where the user cannot read them. The folder itself is written to by vitest.
modules=$(readlink -f node_modules)
"${as_user[@]}" mkdir "$folder/tutti/node_modules"
if "${as_user[@]}" test -r "$modules/vitest/package.json"; then
  find "$modules" -mindepth 1 -maxdepth 1 ! -name '.vite*' -exec ln -s -t "$folder/tutti/node_modules" {} +
else
  cp -r "$modules/." "$folder/tutti/node_modules"
  chown -R "$user:" "$folder/tutti/node_modules"
fi
cd "$folder/tutti"
env -i PATH="$folder/tutti/node_modules/.bin:/usr/local/bin:/usr/bin:/bin" HOME="$folder/home" TMPDIR="$folder/tmp" \
  TUTTI_PROOF="${TUTTI_PROOF:-}" CI="${CI:-}" \
  "${as_user[@]}" npx vitest run "${tests[@]}" "$@"
