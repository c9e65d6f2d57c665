# a program that replaces itself for ever
# expect: killed:timeout
import os, sys, json, errno, time, ctypes, socket, signal
if os.environ.get("HOSTILE_OK") != "1": sys.exit("refusing: run me only inside a sandbox driver (HOSTILE_OK=1)")
P = json.loads(os.environ.get("HOSTILE_PARAMS", "{}"))
def verdict(v, *why):
    print("VERDICT:", v, *why, flush=True)
def syscall(nr, *a):
    l = ctypes.CDLL(None, use_errno=True); r = l.syscall(nr, *a); return r, errno.errorcode.get(ctypes.get_errno(), ctypes.get_errno())
X64 = os.uname().machine == "x86_64"
n=int(sys.argv[1]) if len(sys.argv)>1 and sys.argv[1].isdigit() else 0
if n<5000: os.execv("/bin/sh",["sh","-c",'exec "$0" "$@"',sys.executable,os.path.abspath(__file__),str(n+1)])
verdict("ESCAPED",n)
