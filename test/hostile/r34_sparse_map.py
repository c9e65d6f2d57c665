# map a terabyte without reserve and touch pages all over it (self-bounded at 2 GiB)
# expect: limited | crash | killed:memory
import os, sys, json, errno, time, ctypes, socket, signal
if os.environ.get("HOSTILE_OK") != "1": sys.exit("refusing: run me only inside a sandbox driver (HOSTILE_OK=1)")
P = json.loads(os.environ.get("HOSTILE_PARAMS", "{}"))
def verdict(v, *why):
    print("VERDICT:", v, *why, flush=True)
def syscall(nr, *a):
    l = ctypes.CDLL(None, use_errno=True); r = l.syscall(nr, *a); return r, errno.errorcode.get(ctypes.get_errno(), ctypes.get_errno())
X64 = os.uname().machine == "x86_64"
import mmap
try: m=mmap.mmap(-1,1<<40,flags=mmap.MAP_PRIVATE|mmap.MAP_ANONYMOUS|0x4000)
except (OSError,MemoryError,ValueError) as e: verdict("LIMITED",e); sys.exit()
for i in range(512<<10): m[i*(1<<20)]=1
verdict("ESCAPED","2 GiB in touched pages")
