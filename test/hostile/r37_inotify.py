# inotify and epoll instances and watches for ever (bounded by its descriptors)
# expect: limited | ok
import os, sys, json, errno, time, ctypes, socket, signal
if os.environ.get("HOSTILE_OK") != "1": sys.exit("refusing: run me only inside a sandbox driver (HOSTILE_OK=1)")
P = json.loads(os.environ.get("HOSTILE_PARAMS", "{}"))
def verdict(v, *why):
    print("VERDICT:", v, *why, flush=True)
def syscall(nr, *a):
    l = ctypes.CDLL(None, use_errno=True); r = l.syscall(nr, *a); return r, errno.errorcode.get(ctypes.get_errno(), ctypes.get_errno())
X64 = os.uname().machine == "x86_64"
l=ctypes.CDLL(None,use_errno=True); n=0; w=0
for i in range(5000):
    fd=l.inotify_init()
    if fd<0: break
    n+=1
    for d in (b"/",b"/usr",b"/tmp",b"/work",b"/dev"):
        if l.inotify_add_watch(fd,d,0xfff)>=0: w+=1
verdict("LIMITED" if n<5000 else "ESCAPED",n,"instances",w,"watches")
