#!/usr/bin/env bash
# Usage: launcher.sh install|uninstall
# Puts `tutti` on PATH: a small script in ~/.local/bin (or $BIN_DIR) that runs this checkout with Node 24.
# Never replaces or removes a file that this script did not write.
set -euo pipefail

checkout=$(cd "$(dirname "$0")/.." && pwd -P)
marker='# Launcher of Tutti, written by "make install".'
if [ -z "${BIN_DIR:-${HOME:-}}" ]; then
  echo "tutti was not put on PATH: HOME is not set. Start it with $checkout/bin/tutti.js and Node 24." >&2
  exit 0
fi
folder=${BIN_DIR:-$HOME/.local/bin}
launcher=$folder/tutti

is_ours() { [ -f "$launcher" ] && [ ! -L "$launcher" ] && grep -qF "$marker" "$launcher"; }
exists() { [ -e "$launcher" ] || [ -L "$launcher" ]; }
quote() { printf "'%s'" "${1//\'/\'\\\'\'}"; }

if [ "${1:-}" = uninstall ]; then
  if is_ours; then
    rm -f "$launcher"
    echo "Removed $launcher."
  elif exists; then
    echo "Left $launcher alone: \"make install\" did not write it." >&2
  fi
  exit 0
fi

if exists && ! is_ours; then
  echo "tutti was not put on PATH: $launcher exists and is not a launcher of Tutti. Choose another directory: make install BIN_DIR=…" >&2
  exit 0
fi
if ! mkdir -p "$folder" 2>/dev/null || [ ! -w "$folder" ]; then
  echo "tutti was not put on PATH: $folder is not writable. Choose another directory: make install BIN_DIR=…" >&2
  exit 0
fi
cat >"$launcher.new" <<LAUNCHER
#!/bin/sh
$marker "make uninstall" removes it.
checkout=$(quote "$checkout")
if [ ! -f "\$checkout/bin/tutti.js" ]; then
  echo "tutti: \$checkout is gone. Run \"make install\" in your checkout again." >&2
  exit 2
fi
# Node 24 that "make install" added because the Node of this machine was older.
node=\$checkout/node_modules/.bin/node
[ -x "\$node" ] || node=node
exec "\$node" "\$checkout/bin/tutti.js" "\$@"
LAUNCHER
chmod 755 "$launcher.new"
mv "$launcher.new" "$launcher"

case ":$PATH:" in
  *":$folder:"*) echo "Installed: tutti ($launcher)" ;;
  *)
    echo "Installed: $launcher"
    echo "Its directory is not on your PATH yet. Add it, in ~/.profile for good: export PATH=\"$folder:\$PATH\""
    ;;
esac
