# the classic shell fork bomb
# expect: killed | limited | crash
[ "$HOSTILE_OK" = 1 ] || { echo "refusing: run me only inside a sandbox driver (HOSTILE_OK=1)" >&2; exit 1; }
b() { b | b & }
b 2>/dev/null
sleep 10
echo "VERDICT: LIMITED"
