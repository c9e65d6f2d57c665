# page tables of a huge mapping that holds nothing but the page of zeros
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
l=ctypes.CDLL(None,use_errno=True); l.mmap.restype=ctypes.c_void_p
size=600<<30; at=l.mmap(None,ctypes.c_size_t(size),1,0x4022,-1,ctypes.c_long(0)); n=0
l.madvise(ctypes.c_void_p(at),ctypes.c_size_t(size),15)
for i in range(0,size,2<<20):
    ctypes.c_char.from_address(at+i).value; n+=4096
done(n)
