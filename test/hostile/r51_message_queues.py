# messages in System V queues that nobody reads
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
l=ctypes.CDLL(None,use_errno=True); n=0; m=ctypes.create_string_buffer(b"\1\0\0\0\0\0\0\0"+b"x"*8192)
while n<(600<<20):
    q=l.msgget(0,0o600)
    if q<0: break
    while l.msgsnd(q,m,8192,0o4000)==0: n+=8192
done(n)
