# personalities that switch protections of memory off (READ_IMPLIES_EXEC, ADDR_NO_RANDOMIZE, MMAP_PAGE_ZERO)
# expect: held
import os, sys, json, errno, time, ctypes, socket, signal
if os.environ.get("HOSTILE_OK") != "1": sys.exit("refusing: run me only inside a sandbox driver (HOSTILE_OK=1)")
P = json.loads(os.environ.get("HOSTILE_PARAMS", "{}"))
def verdict(v, *why):
    print("VERDICT:", v, *why, flush=True)
def syscall(nr, *a):
    l = ctypes.CDLL(None, use_errno=True); r = l.syscall(nr, *a); return r, errno.errorcode.get(ctypes.get_errno(), ctypes.get_errno())
X64 = os.uname().machine == "x86_64"
nr=135 if X64 else 92; bad=[]
for n,f in (("READ_IMPLIES_EXEC",0x400000),("MMAP_PAGE_ZERO",0x100000),("SVR4",0x100001),("READ_IMPLIES_EXEC, high bits",(1<<36)|0x400000)):
    if syscall(nr,ctypes.c_ulong(f))[0]>=0: bad.append(n)
verdict("ESCAPED",bad) if bad else verdict("HELD")
