# control: locks on files of its own work
# expect: ok
import os, sys, json, errno, time, ctypes, socket, signal
if os.environ.get("HOSTILE_OK") != "1": sys.exit("refusing: run me only inside a sandbox driver (HOSTILE_OK=1)")
P = json.loads(os.environ.get("HOSTILE_PARAMS", "{}"))
def verdict(v, *why):
    print("VERDICT:", v, *why, flush=True)
def syscall(nr, *a):
    l = ctypes.CDLL(None, use_errno=True); r = l.syscall(nr, *a); return r, errno.errorcode.get(ctypes.get_errno(), ctypes.get_errno())
X64 = os.uname().machine == "x86_64"
import fcntl
own=open("own.lock","w+"); fcntl.flock(own,fcntl.LOCK_EX)
other=open("own.lock","w+")
try: fcntl.flock(other,fcntl.LOCK_EX|fcntl.LOCK_NB); print("not exclusive")
except BlockingIOError: pass
else: sys.exit(1)
fcntl.lockf(own,fcntl.LOCK_EX,10); time.sleep(1); fcntl.flock(own,fcntl.LOCK_UN)
verdict("OK")
