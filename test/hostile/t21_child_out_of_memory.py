# a child dies of the memory limit and the program pretends that all went well
# expect: killed:memory | limited
import os, sys, json, errno, time, ctypes, socket, signal
if os.environ.get("HOSTILE_OK") != "1": sys.exit("refusing: run me only inside a sandbox driver (HOSTILE_OK=1)")
P = json.loads(os.environ.get("HOSTILE_PARAMS", "{}"))
def verdict(v, *why):
    print("VERDICT:", v, *why, flush=True)
def syscall(nr, *a):
    l = ctypes.CDLL(None, use_errno=True); r = l.syscall(nr, *a); return r, errno.errorcode.get(ctypes.get_errno(), ctypes.get_errno())
X64 = os.uname().machine == "x86_64"
p=os.fork()
if p==0:
    x=[]
    while len(x)<128: x.append(bytearray(b"z")*(16<<20))
    os._exit(0)
s=os.waitpid(p,0)[1]
verdict("ESCAPED" if s==0 else "LIMITED",s); os._exit(0)
