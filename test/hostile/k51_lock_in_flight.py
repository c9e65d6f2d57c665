# lock a file of the host by a child that has ended, kept in a message that is never read
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
    a,b=socket.socketpair()
    if os.fork()==0:
        fd=os.open("/usr/bin/wc",os.O_RDONLY)
        fcntl.flock(fd,fcntl.LOCK_SH|fcntl.LOCK_NB)
        socket.send_fds(a,[b"x"],[fd]); os._exit(0)
    os.wait()
    time.sleep(10); verdict("ESCAPED","locked for 10 s")
except OSError as e: verdict("HELD",e.strerror)
