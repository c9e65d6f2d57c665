# die with a large core: no dump may be written nor handed to a program of the host
# expect: held
import os, sys, json, errno, time, ctypes, socket, signal
if os.environ.get("HOSTILE_OK") != "1": sys.exit("refusing: run me only inside a sandbox driver (HOSTILE_OK=1)")
P = json.loads(os.environ.get("HOSTILE_PARAMS", "{}"))
def verdict(v, *why):
    print("VERDICT:", v, *why, flush=True)
def syscall(nr, *a):
    l = ctypes.CDLL(None, use_errno=True); r = l.syscall(nr, *a); return r, errno.errorcode.get(ctypes.get_errno(), ctypes.get_errno())
X64 = os.uname().machine == "x86_64"
import resource
soft,hard=resource.getrlimit(resource.RLIMIT_CORE)
try: resource.setrlimit(resource.RLIMIT_CORE,(hard,hard))
except (OSError,ValueError): pass
p=os.fork()
if p==0:
    x=bytearray(b"x")*(32<<20); os.kill(os.getpid(),signal.SIGABRT)
s=os.waitpid(p,0)[1]; cores=[f for f in os.listdir(".") if f.startswith("core")]
verdict("ESCAPED",cores,s) if cores or os.WCOREDUMP(s) or hard!=0 else verdict("HELD",s)
