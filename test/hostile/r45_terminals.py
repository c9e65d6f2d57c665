# open pseudo terminals for ever: the host's share must be left
# expect: limited | ok
import os, sys, json, errno, time, ctypes, socket, signal
if os.environ.get("HOSTILE_OK") != "1": sys.exit("refusing: run me only inside a sandbox driver (HOSTILE_OK=1)")
P = json.loads(os.environ.get("HOSTILE_PARAMS", "{}"))
def verdict(v, *why):
    print("VERDICT:", v, *why, flush=True)
def syscall(nr, *a):
    l = ctypes.CDLL(None, use_errno=True); r = l.syscall(nr, *a); return r, errno.errorcode.get(ctypes.get_errno(), ctypes.get_errno())
X64 = os.uname().machine == "x86_64"
import pty
n=0; keep=[]
try:
    while n<4000: keep.append(pty.openpty()); n+=1
except OSError as e: print(e.strerror)
verdict("LIMITED" if n<4000 else "ESCAPED",n)
