#!/usr/bin/env bash
# Goes back to the image that ran before the last deploy/blue-green.sh. With --data also to the copy of the database
# made then, which an earlier version needs after a change of the schema: what happened since is kept aside.
#   deploy/rollback.sh [--data]
set -euo pipefail
cd "$(dirname "$0")"
state=${TUTTI_DEPLOY_STATE:-.deployed}
[[ -f $state.before ]] || { echo "no earlier version is known" >&2; exit 2; }
read -r _ image <"$state.before"
read -r color current <"$state"
if [[ ${1:-} == --data ]]; then
  TUTTI_IMAGE=$current docker compose -p "tutti-$color" -f compose.yaml down --timeout 30
  docker run --rm --network none -v tutti-data:/data --entrypoint sh "$current" -c '
    set -e; cd /data; test -f before-switch.db; mkdir -p set-aside
    for file in tutti.db tutti.db-wal tutti.db-shm tutti.db-last tutti.db-audit; do
      if [ -e "$file" ]; then mv "$file" set-aside/; fi
    done
    cp before-switch.db tutti.db'
  rm -f "$state"
elif [[ ${1:-} != '' ]]; then
  echo "usage: rollback.sh [--data]" >&2; exit 2
fi
TUTTI_MAKE_COPY=no exec ./blue-green.sh "$image"
