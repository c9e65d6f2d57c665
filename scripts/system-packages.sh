#!/usr/bin/env bash
# Installs the Debian packages that the tests compare with or read real sources from.
# Asks first on a terminal. Never fails: tests whose packages are missing are skipped and say why.
set -euo pipefail

list_missing() {
  local package state
  for package in $(sed -e 's/#.*//' test/system-packages.txt); do
    state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$state" = installed ] || echo "$package"
  done
}

skip() {
  echo "system packages: $1" >&2
  echo "Tests that need them are skipped. To install them: apt-get install -y --no-install-recommends ${missing[*]}" >&2
  exit 0
}

mapfile -t missing < <(list_missing)
[ "${#missing[@]}" -gt 0 ] || exit 0
command -v apt-get >/dev/null || skip "apt-get is not available, and ${#missing[@]} packages are missing"

sudo=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null && { [ -t 0 ] || sudo -n true 2>/dev/null; } ||
    skip "${#missing[@]} packages are missing, and installing them needs root"
  sudo=(sudo)
fi

if [ -t 0 ] && [ "${CI:-}" != true ] && [ "${YES:-}" != 1 ]; then
  read -r -p "The tests compare with ${#missing[@]} Debian packages (${missing[*]}). Install them? [y/N] " answer || true
  [[ "${answer:-}" =~ ^[yY] ]] || skip "not installed"
fi

# Limits for a machine without a network, and for another apt-get that holds the lock.
apt() {
  "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Acquire::Retries=1 -o Acquire::http::Timeout=20 \
    -o Acquire::https::Timeout=20 -o DPkg::Lock::Timeout=120 "$@" >/dev/null
}

echo "Installing ${#missing[@]} system packages …"
apt update || echo "system packages: the package lists could not be updated" >&2
if ! apt install -y --no-install-recommends "${missing[@]}"; then
  # One package that this release of Debian does not have must not keep the others out.
  for package in "${missing[@]}"; do apt install -y --no-install-recommends "$package" || true; done
fi
mapfile -t missing < <(list_missing)
[ "${#missing[@]}" -eq 0 ] || skip "${#missing[@]} packages could not be installed: ${missing[*]}"
