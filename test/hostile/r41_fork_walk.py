# a process that forks and dies all the time, so that no list of processes is ever right
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
    os.setsid(); end=time.time()+30
    while time.time()<end:
        try:
            if os.fork(): os._exit(0)
        except OSError: pass
    os._exit(0)
print("walking",flush=True); time.sleep(60)
