# lock a file of the host by a child that has ended, kept by a mapping alone
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
libc=ctypes.CDLL(None,use_errno=True); libc.mmap.restype=ctypes.c_void_p
libc.mmap.argtypes=[ctypes.c_void_p,ctypes.c_size_t,ctypes.c_int,ctypes.c_int,ctypes.c_int,ctypes.c_long]
try:
    fd=os.open("/usr/bin/head",os.O_RDONLY)
    if os.fork()==0:
        fcntl.flock(fd,fcntl.LOCK_SH|fcntl.LOCK_NB); os._exit(0)
    os.wait()
    # not by the module mmap, which keeps a descriptor of its own
    libc.mmap(None,4096,1,2,fd,0); os.close(fd)
    time.sleep(10); verdict("ESCAPED","locked for 10 s")
except OSError as e: verdict("HELD",e.strerror)
