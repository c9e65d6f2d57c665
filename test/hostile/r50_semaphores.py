# sets of semaphores: memory that belongs to no process
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
l=ctypes.CDLL(None,use_errno=True); n=0
while n*8*32000<(1200<<20):
    if l.semget(0,32000,0o600)<0: break
    n+=1
done(n*8*32000)
