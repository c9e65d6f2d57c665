# fill /tmp, /dev/shm and every other writable folder (self-bounded at 1.5 GiB); memory allows it, disk limits must not
# expect: limited | killed
import os, sys, json, errno, time, ctypes, socket, signal
if os.environ.get("HOSTILE_OK") != "1": sys.exit("refusing: run me only inside a sandbox driver (HOSTILE_OK=1)")
P = json.loads(os.environ.get("HOSTILE_PARAMS", "{}"))
def verdict(v, *why):
    print("VERDICT:", v, *why, flush=True)
def syscall(nr, *a):
    l = ctypes.CDLL(None, use_errno=True); r = l.syscall(nr, *a); return r, errno.errorcode.get(ctypes.get_errno(), ctypes.get_errno())
X64 = os.uname().machine == "x86_64"
c=b"x"*(1<<20); n=0; where={}
for d in ("/tmp","/dev/shm","/work","/run","/var/tmp","/dev","/","/dev/mqueue","/run/lock","/home","/root"):
    k=0
    for i in range(1500-n):
        try:
            with open(f"{d}/fill{i}","wb",buffering=0) as f: w=f.write(c)
            if not w: break
            k+=1
        except OSError: break
    if k: where[d]=k; n+=k
verdict("ESCAPED" if n>=600 else "LIMITED",n,"MiB",where)
