# 100,000 children that nobody waits for
# expect: limited | killed
import os, sys, json, errno, time, ctypes, socket, signal
if os.environ.get("HOSTILE_OK") != "1": sys.exit("refusing: run me only inside a sandbox driver (HOSTILE_OK=1)")
P = json.loads(os.environ.get("HOSTILE_PARAMS", "{}"))
def verdict(v, *why):
    print("VERDICT:", v, *why, flush=True)
def syscall(nr, *a):
    l = ctypes.CDLL(None, use_errno=True); r = l.syscall(nr, *a); return r, errno.errorcode.get(ctypes.get_errno(), ctypes.get_errno())
X64 = os.uname().machine == "x86_64"
n=0; end=time.time()+15
try:
    while n<100000 and time.time()<end:
        if os.fork()==0: os._exit(0)
        n+=1
    verdict("ESCAPED",n,"zombies")
except OSError as e: verdict("LIMITED",n,e.strerror)
