#!/usr/bin/env bash
# Starts another version beside the one that runs, waits until it finds its tools, points the proxy at it and lets the
# old one answer what it has begun. Both use the data volume, so the database is copied first.
#   deploy/blue-green.sh IMAGE      (IMAGE has a version or a digest, not "latest")
# TUTTI_SWITCH: a command that gets the new port, such as one that rewrites an upstream file and reloads the proxy.
set -euo pipefail
cd "$(dirname "$0")"
image=${1:?name the image to start}
switch=${TUTTI_SWITCH:?name the command that points the proxy at a port}
state=${TUTTI_DEPLOY_STATE:-.deployed}
ready_limit_s=60

[[ $image == *@sha256:* || ( $image == *:* && $image != *:latest ) ]] || { echo "$image names no version" >&2; exit 2; }
color=none old_image=none
if [[ -f $state ]]; then read -r color old_image <"$state"; fi
if [[ $color == blue ]]; then next=green port=8014; else next=blue port=8004; fi

compose() { # COLOR PORT IMAGE ARGUMENTS...
  TUTTI_PORT=$2 TUTTI_IMAGE=$3 docker compose -p "tutti-$1" -f compose.yaml "${@:4}"
}

# A rollback keeps the copy made before the version that it leaves.
makes_copy=${TUTTI_MAKE_COPY:-yes}
[[ $color != none ]] || makes_copy=no

if [[ $makes_copy == yes ]]; then
  compose "$color" "$port" "$old_image" exec -T tutti node bin/tutti.js backup /data/this-switch.db --force
fi
compose "$next" "$port" "$image" up -d --no-build tutti
for ((second = 0; second < ready_limit_s; second += 1)); do
  if curl -fsS -m 5 -o /dev/null "http://127.0.0.1:$port/ready"; then break; fi
  sleep 1
done
if ((second == ready_limit_s)); then
  echo "$image was not ready within $ready_limit_s s; $color goes on" >&2
  compose "$next" "$port" "$image" down
  exit 1
fi
$switch "$port"
# Only now: an attempt that failed must not replace the copy that belongs to the version before.
if [[ $makes_copy == yes ]]; then
  compose "$color" "$port" "$old_image" exec -T tutti mv /data/this-switch.db /data/before-switch.db
fi
[[ $color == none ]] || cp "$state" "$state.before"
echo "$next $image" >"$state"
if [[ $color != none ]]; then compose "$color" "$port" "$old_image" down --timeout 30; fi
echo "$next: $image on port $port"
