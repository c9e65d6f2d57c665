#!/usr/bin/env bash
# Installs the Debian packages that the tests compare with or take real sources from.
# Asks first on a terminal; with CI=true or YES=1 it just does. Where apt-get is missing it says what to install.
set -euo pipefail

missing=()
for package in $(sed -e 's/#.*//' test/system-packages.txt); do
  state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$state" = installed ] || missing+=("$package")
done
[ "${#missing[@]}" -eq 0 ] && exit 0

by_hand="apt-get install -y --no-install-recommends ${missing[*]}"
if ! command -v apt-get >/dev/null; then
  echo "These Debian packages are missing, and there is no apt-get here: ${missing[*]}" >&2
  echo "The tests that need them are skipped, and say so." >&2
  exit 0
fi

sudo=""
if [ "$(id -u)" -ne 0 ]; then
  if command -v sudo >/dev/null && { [ -t 0 ] || sudo -n true 2>/dev/null; }; then
    sudo=sudo
  else
    echo "These system packages are missing and this user cannot install them. Run as root: $by_hand" >&2
    if [ "${CI:-}" = true ]; then exit 1; fi
    echo "The tests that need them are skipped, and say so." >&2
    exit 0
  fi
fi

if [ "${CI:-}" != true ] && [ "${YES:-}" != 1 ]; then
  if [ ! -t 0 ]; then
    echo "These system packages are missing: ${missing[*]}" >&2
    echo "Run \"YES=1 make test\" to have them installed, or install them by hand: $by_hand" >&2
    exit 1
  fi
  read -r -p "The tests compare with ${#missing[@]} Debian packages (${missing[*]}). Install them? [y/N] " answer
  [[ "$answer" =~ ^[yY] ]] || { echo "Left as it is. By hand: $by_hand" >&2; exit 1; }
fi

echo "Installing ${missing[*]} …"
export DEBIAN_FRONTEND=noninteractive
$sudo apt-get update -qq
$sudo apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
