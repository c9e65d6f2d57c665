# lock and unlock a file of the host again and again
# expect: held | killed:host-lock
import os, sys, json, errno, time, ctypes, socket, signal
if os.environ.get("HOSTILE_OK") != "1": sys.exit("refusing: run me only inside a sandbox driver (HOSTILE_OK=1)")
P = json.loads(os.environ.get("HOSTILE_PARAMS", "{}"))
def verdict(v, *why):
    print("VERDICT:", v, *why, flush=True)
def syscall(nr, *a):
    l = ctypes.CDLL(None, use_errno=True); r = l.syscall(nr, *a); return r, errno.errorcode.get(ctypes.get_errno(), ctypes.get_errno())
X64 = os.uname().machine == "x86_64"
import fcntl
try:
    fd=os.open("/usr/bin/id",os.O_RDONLY); end=time.time()+10
    while time.time()<end:
        fcntl.flock(fd,fcntl.LOCK_EX); time.sleep(.2); fcntl.flock(fd,fcntl.LOCK_UN)
    time.sleep(10); verdict("ESCAPED","locked for 10 s")
except OSError as e: verdict("HELD",e.strerror)
