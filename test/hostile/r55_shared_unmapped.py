# shared memory of which one page stays mapped, or none is in the page table
# expect: limited | killed:memory | crash
import os, sys, json, errno, time, ctypes, socket, signal
if os.environ.get("HOSTILE_OK") != "1": sys.exit("refusing: run me only inside a sandbox driver (HOSTILE_OK=1)")
P = json.loads(os.environ.get("HOSTILE_PARAMS", "{}"))
def verdict(v, *why):
    print("VERDICT:", v, *why, flush=True)
def syscall(nr, *a):
    l = ctypes.CDLL(None, use_errno=True); r = l.syscall(nr, *a); return r, errno.errorcode.get(ctypes.get_errno(), ctypes.get_errno())
X64 = os.uname().machine == "x86_64"
def done(held):
    time.sleep(.3)
    verdict("ESCAPED" if held>(400<<20) else "LIMITED",held>>20,"MiB")
l=ctypes.CDLL(None,use_errno=True); l.mmap.restype=ctypes.c_void_p; n=0; step=32<<20
while n<(1<<30):
    at=l.mmap(None,ctypes.c_size_t(step),3,0x21,-1,ctypes.c_long(0)); ctypes.memset(at,1,step); n+=step
    if (n//step)%2: l.munmap(ctypes.c_void_p(at+4096),ctypes.c_size_t(step-4096))
    else: l.madvise(ctypes.c_void_p(at),ctypes.c_size_t(step),4)
    time.sleep(.01)
done(n)
