# threads that fork, children that start threads, for ten seconds
# expect: killed | limited | crash
import os, sys, json, errno, time, ctypes, socket, signal
if os.environ.get("HOSTILE_OK") != "1": sys.exit("refusing: run me only inside a sandbox driver (HOSTILE_OK=1)")
P = json.loads(os.environ.get("HOSTILE_PARAMS", "{}"))
def verdict(v, *why):
    print("VERDICT:", v, *why, flush=True)
def syscall(nr, *a):
    l = ctypes.CDLL(None, use_errno=True); r = l.syscall(nr, *a); return r, errno.errorcode.get(ctypes.get_errno(), ctypes.get_errno())
X64 = os.uname().machine == "x86_64"
import threading
end=time.time()+10
def f():
    while time.time()<end:
        try:
            if os.fork()==0: f()
        except OSError: pass
        try: threading.Thread(target=f,daemon=True).start()
        except RuntimeError: pass
print("start",flush=True); f(); os._exit(1)
