# enter other namespaces through /proc/PID/ns and pid descriptors
# expect: held
import os, sys, json, errno, time, ctypes, socket, signal
if os.environ.get("HOSTILE_OK") != "1": sys.exit("refusing: run me only inside a sandbox driver (HOSTILE_OK=1)")
P = json.loads(os.environ.get("HOSTILE_PARAMS", "{}"))
def verdict(v, *why):
    print("VERDICT:", v, *why, flush=True)
def syscall(nr, *a):
    l = ctypes.CDLL(None, use_errno=True); r = l.syscall(nr, *a); return r, errno.errorcode.get(ctypes.get_errno(), ctypes.get_errno())
X64 = os.uname().machine == "x86_64"
nr=308 if X64 else 268; bad=[]
for p in ["1","self",str(os.getppid())]:
    for n in ("user","mnt","net","pid","ipc","uts","cgroup","time"):
        try: fd=os.open(f"/proc/{p}/ns/{n}",os.O_RDONLY)
        except OSError: continue
        if syscall(nr,fd,0)[0]==0: bad.append((p,n))
r,_=syscall(434,1,0)
if r>=0 and syscall(nr,r,ctypes.c_int(0x7e020000))[0]==0: bad.append("pidfd")
verdict("ESCAPED",bad) if bad else verdict("HELD")
