#!/usr/bin/env bash
# Installs bubblewrap, which the sandbox needs on Linux: asks on a terminal, installs it as root without one.
# Never fails: where it cannot be installed it says so, and nothing that needs a sandbox runs.
set -euo pipefail

[ "$(uname -s)" = Linux ] || exit 0
command -v bwrap >/dev/null && exit 0

skip() {
  echo "bubblewrap is not installed: $1. Without it Tutti runs no untrusted code. To install it: apt-get install bubblewrap" >&2
  exit 0
}

command -v apt-get >/dev/null || skip "there is no apt-get on this system"
sudo=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null && [ -t 0 ] || skip "that needs root"
  sudo=(sudo)
fi
if [ -t 0 ]; then
  read -r -p "The sandbox needs the Debian package bubblewrap. Install it? [y/N] " answer || true
  [[ "${answer:-}" =~ ^[yY] ]] || skip "you declined"
fi

# Limits for a machine without a network, and for another apt-get that holds the lock.
apt() {
  "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Acquire::Retries=1 -o Acquire::http::Timeout=20 \
    -o Acquire::https::Timeout=20 -o DPkg::Lock::Timeout=60 "$@" >/dev/null 2>&1
}
echo "Installing bubblewrap …"
apt install -y --no-install-recommends bubblewrap || { apt update && apt install -y --no-install-recommends bubblewrap; } ||
  skip "apt-get could not install it"
