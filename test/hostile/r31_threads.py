# threads for ever (self-bounded at 20,000): they count as processes do
# expect: limited | killed
import os, sys, json, errno, time, ctypes, socket, signal
if os.environ.get("HOSTILE_OK") != "1": sys.exit("refusing: run me only inside a sandbox driver (HOSTILE_OK=1)")
P = json.loads(os.environ.get("HOSTILE_PARAMS", "{}"))
def verdict(v, *why):
    print("VERDICT:", v, *why, flush=True)
def syscall(nr, *a):
    l = ctypes.CDLL(None, use_errno=True); r = l.syscall(nr, *a); return r, errno.errorcode.get(ctypes.get_errno(), ctypes.get_errno())
X64 = os.uname().machine == "x86_64"
import threading
n=0; hold=threading.Event(); threading.stack_size(65536)
try:
    while n<20000: threading.Thread(target=hold.wait,daemon=True).start(); n+=1
    verdict("ESCAPED",n)
except (RuntimeError,MemoryError) as e: verdict("LIMITED",n,e)
os._exit(0)
