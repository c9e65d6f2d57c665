# stop (not kill) every process including pid 1 and itself: only the time limit can end it
# expect: killed:timeout
import os, sys, json, errno, time, ctypes, socket, signal
if os.environ.get("HOSTILE_OK") != "1": sys.exit("refusing: run me only inside a sandbox driver (HOSTILE_OK=1)")
P = json.loads(os.environ.get("HOSTILE_PARAMS", "{}"))
def verdict(v, *why):
    print("VERDICT:", v, *why, flush=True)
def syscall(nr, *a):
    l = ctypes.CDLL(None, use_errno=True); r = l.syscall(nr, *a); return r, errno.errorcode.get(ctypes.get_errno(), ctypes.get_errno())
X64 = os.uname().machine == "x86_64"
if os.fork()==0:
    while True:
        for p in (1,-1):
            try: os.kill(p,signal.SIGSTOP)
            except OSError: pass
        os.kill(os.getpid(),signal.SIGSTOP)
print("stopping",flush=True); time.sleep(.2); os.kill(os.getpid(),signal.SIGSTOP); time.sleep(60)
