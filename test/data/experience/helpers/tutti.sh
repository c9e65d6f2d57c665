# An empty Tutti: `server NAME COMMAND…` and `remote NAME URL [TOKEN]` add servers, `plan TOOL [LINE]` writes plan.yaml,
# `run_code LANGUAGE CODE [memoryMb=N|timeoutMs=N]` runs code in the sandbox, `state NAME` shows a server, `model PORT` sets a model.
export HOME=$PWD/home XDG_CONFIG_HOME=$PWD/home/.config TUTTI_HOME=$PWD/home/data
mkdir -p "$HOME"
TUTTI="node $PROGRAM"
tutti() { $TUTTI "$@"; }
server() { name=$1; shift; tutti servers add "$name" -- "$@" > /dev/null 2>&1; }
remote() {
  if [ -n "$3" ]; then tutti servers add "$1" --url "$2" --header "Authorization=$3" > /dev/null 2>&1
  else tutti servers add "$1" --url "$2" > /dev/null 2>&1; fi
}
plan() {
  printf 'version: 1\nsteps:\n  - id: first\n    tool: %s\n' "$1" > plan.yaml
  [ -n "$2" ] && printf '    %s\n' "$2" >> plan.yaml
}
state() { tutti servers 2> /dev/null | grep "^$1 "; exit 1; }
run_code() {
  limits=$(printf '%s' "${3:-}" | sed -E 's/memoryMb=([0-9]+)/"memoryBytes":\1000000/; s/timeoutMs=([0-9]+)/"wallMs":\1/')
  code=$(printf '%b' "$2" | jq -Rs .)
  tutti call exec.run_code --args "{\"language\":\"$1\",\"code\":$code,\"limits\":{$limits}}"
  [ $? = 0 ] && exit 1
}
model() {
  mkdir -p "$XDG_CONFIG_HOME/tutti"
  printf 'models:\n  providers:\n    local:\n      kind: openai\n      url: http://127.0.0.1:%s/v1\n      model: big\n      api_key: old-key\n' "$1" >> "$XDG_CONFIG_HOME/tutti/config.yaml"
}
