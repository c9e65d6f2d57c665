# empty files in /tmp and /dev/shm for ever (self-bounded at 400,000)
# expect: limited | killed
import os, sys, json, errno, time, ctypes, socket, signal
if os.environ.get("HOSTILE_OK") != "1": sys.exit("refusing: run me only inside a sandbox driver (HOSTILE_OK=1)")
P = json.loads(os.environ.get("HOSTILE_PARAMS", "{}"))
def verdict(v, *why):
    print("VERDICT:", v, *why, flush=True)
def syscall(nr, *a):
    l = ctypes.CDLL(None, use_errno=True); r = l.syscall(nr, *a); return r, errno.errorcode.get(ctypes.get_errno(), ctypes.get_errno())
X64 = os.uname().machine == "x86_64"
n=0
for d in ("/tmp","/dev/shm"):
    try:
        for i in range(200000): os.close(os.open(f"{d}/i{i}",os.O_CREAT|os.O_WRONLY)); n+=1
    except OSError as e: print(d,e.strerror)
verdict("ESCAPED" if n>=400000 else "LIMITED",n)
