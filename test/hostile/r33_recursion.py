# recursion without end, in Python and in C
# expect: crash | limited | killed
import os, sys, json, errno, time, ctypes, socket, signal
if os.environ.get("HOSTILE_OK") != "1": sys.exit("refusing: run me only inside a sandbox driver (HOSTILE_OK=1)")
P = json.loads(os.environ.get("HOSTILE_PARAMS", "{}"))
def verdict(v, *why):
    print("VERDICT:", v, *why, flush=True)
def syscall(nr, *a):
    l = ctypes.CDLL(None, use_errno=True); r = l.syscall(nr, *a); return r, errno.errorcode.get(ctypes.get_errno(), ctypes.get_errno())
X64 = os.uname().machine == "x86_64"
sys.setrecursionlimit(2**31-1)
import functools, threading
f=None
for _ in range(500000): f=[f]
try: repr(f)
except RecursionError: pass
def g(n): return g(n+1)
try: g(0)
except (RecursionError,MemoryError) as e: verdict("LIMITED",type(e).__name__)
