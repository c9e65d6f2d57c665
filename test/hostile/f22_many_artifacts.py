# 30,000 artifacts in a tree of folders
# expect: ok | limited | killed:memory | killed:disk
import os, sys, json, errno, time, ctypes, socket, signal
if os.environ.get("HOSTILE_OK") != "1": sys.exit("refusing: run me only inside a sandbox driver (HOSTILE_OK=1)")
P = json.loads(os.environ.get("HOSTILE_PARAMS", "{}"))
def verdict(v, *why):
    print("VERDICT:", v, *why, flush=True)
def syscall(nr, *a):
    l = ctypes.CDLL(None, use_errno=True); r = l.syscall(nr, *a); return r, errno.errorcode.get(ctypes.get_errno(), ctypes.get_errno())
X64 = os.uname().machine == "x86_64"
n=0
try:
    for d in range(300):
        os.makedirs(f"d{d}/e/f")
        for i in range(100): open(f"d{d}/e/f/{i}","w").write("x"); n+=1
    verdict("OK",n)
except OSError as e: verdict("LIMITED",n,e.strerror)
