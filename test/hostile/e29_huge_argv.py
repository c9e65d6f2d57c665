# huge arguments and environments for its children
# expect: held | limited
import os, sys, json, errno, time, ctypes, socket, signal
if os.environ.get("HOSTILE_OK") != "1": sys.exit("refusing: run me only inside a sandbox driver (HOSTILE_OK=1)")
P = json.loads(os.environ.get("HOSTILE_PARAMS", "{}"))
def verdict(v, *why):
    print("VERDICT:", v, *why, flush=True)
def syscall(nr, *a):
    l = ctypes.CDLL(None, use_errno=True); r = l.syscall(nr, *a); return r, errno.errorcode.get(ctypes.get_errno(), ctypes.get_errno())
X64 = os.uname().machine == "x86_64"
import subprocess
refused=0
for n,size in ((1,200000),(100,130000),(100000,50)):
    try: subprocess.run(["/bin/true"]+["x"*size]*n,timeout=5); print("took",n,size)
    except OSError as e: refused+=1; print(e.strerror)
    try: subprocess.run(["/bin/true"],env={f"K{i}":"x"*size for i in range(n)},timeout=5)
    except OSError as e: refused+=1
verdict("LIMITED",refused)
