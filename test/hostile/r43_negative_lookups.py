# ask for millions of names that do not exist: the kernel remembers each
# expect: ok | killed
import os, sys, json, errno, time, ctypes, socket, signal
if os.environ.get("HOSTILE_OK") != "1": sys.exit("refusing: run me only inside a sandbox driver (HOSTILE_OK=1)")
P = json.loads(os.environ.get("HOSTILE_PARAMS", "{}"))
def verdict(v, *why):
    print("VERDICT:", v, *why, flush=True)
def syscall(nr, *a):
    l = ctypes.CDLL(None, use_errno=True); r = l.syscall(nr, *a); return r, errno.errorcode.get(ctypes.get_errno(), ctypes.get_errno())
X64 = os.uname().machine == "x86_64"
end=time.time()+3; n=0
while time.time()<end:
    try: os.stat(f"/tmp/{n}-"+"n"*200)
    except OSError: pass
    n+=1
verdict("OK",n)
