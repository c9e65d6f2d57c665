# exit while a child that left the session keeps the output pipes open and silent: the run must end at once
# expect: ok
import os, sys, json, errno, time, ctypes, socket, signal
if os.environ.get("HOSTILE_OK") != "1": sys.exit("refusing: run me only inside a sandbox driver (HOSTILE_OK=1)")
P = json.loads(os.environ.get("HOSTILE_PARAMS", "{}"))
def verdict(v, *why):
    print("VERDICT:", v, *why, flush=True)
def syscall(nr, *a):
    l = ctypes.CDLL(None, use_errno=True); r = l.syscall(nr, *a); return r, errno.errorcode.get(ctypes.get_errno(), ctypes.get_errno())
X64 = os.uname().machine == "x86_64"
if os.fork()==0:
    os.setsid()
    if os.fork()==0:
        for s in range(1,32):
            try: signal.signal(s,signal.SIG_IGN)
            except (OSError,ValueError): pass
        time.sleep(60)
    os._exit(0)
time.sleep(.1); verdict("OK"); os._exit(0)
