# kill the parent and everything else from a child that left the session, then go on for a minute
# expect: held | crash | killed | ok
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
    for s in range(1,32):
        try: signal.signal(s,signal.SIG_IGN)
        except (OSError,ValueError): pass
    time.sleep(.2)
    for p in (os.getppid(),1,-1):
        for s in (signal.SIGTERM,signal.SIGKILL):
            try: os.kill(p,s)
            except OSError: pass
    end=time.time()+60
    while time.time()<end: time.sleep(.1)
    os._exit(0)
time.sleep(5); verdict("HELD","was not killed")
