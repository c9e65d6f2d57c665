# lock a file of the host by a child that has ended, from a program that may be run and not read
# expect: held | killed:host-lock
import os, sys, json, errno, time, ctypes, socket, signal
if os.environ.get("HOSTILE_OK") != "1": sys.exit("refusing: run me only inside a sandbox driver (HOSTILE_OK=1)")
P = json.loads(os.environ.get("HOSTILE_PARAMS", "{}"))
def verdict(v, *why):
    print("VERDICT:", v, *why, flush=True)
def syscall(nr, *a):
    l = ctypes.CDLL(None, use_errno=True); r = l.syscall(nr, *a); return r, errno.errorcode.get(ctypes.get_errno(), ctypes.get_errno())
X64 = os.uname().machine == "x86_64"
import fcntl, shutil
try:
    fd=os.open("/usr/bin/tail",os.O_RDONLY); os.set_inheritable(fd,True)
    if os.fork()==0:
        fcntl.flock(fd,fcntl.LOCK_SH|fcntl.LOCK_NB); os._exit(0)
    os.wait()
    shutil.copy("/bin/sleep","unreadable"); os.chmod("unreadable",0o111)
    if os.fork()==0: os.execv("unreadable",["sleep","10"])
    os.close(fd)
    os.wait(); verdict("ESCAPED","locked for 10 s")
except OSError as e: verdict("HELD",e.strerror)
