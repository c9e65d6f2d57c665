# use up CPU time in many short-lived children, each far below any limit of its own
# expect: killed:cpu
import os, sys, json, errno, time, ctypes, socket, signal
if os.environ.get("HOSTILE_OK") != "1": sys.exit("refusing: run me only inside a sandbox driver (HOSTILE_OK=1)")
P = json.loads(os.environ.get("HOSTILE_PARAMS", "{}"))
def verdict(v, *why):
    print("VERDICT:", v, *why, flush=True)
def syscall(nr, *a):
    l = ctypes.CDLL(None, use_errno=True); r = l.syscall(nr, *a); return r, errno.errorcode.get(ctypes.get_errno(), ctypes.get_errno())
X64 = os.uname().machine == "x86_64"
end=time.time()+30
while time.time()<end:
    for _ in range(2):
        if os.fork()==0:
            e=time.process_time()+.15
            while time.process_time()<e: pass
            os._exit(0)
    for _ in range(2): os.wait()
verdict("ESCAPED",os.times())
