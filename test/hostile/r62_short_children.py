# use up CPU time in ignored children that live for less than a tick of the clock
# expect: killed:cpu
import os, sys, json, errno, time, ctypes, socket, signal
if os.environ.get("HOSTILE_OK") != "1": sys.exit("refusing: run me only inside a sandbox driver (HOSTILE_OK=1)")
P = json.loads(os.environ.get("HOSTILE_PARAMS", "{}"))
def verdict(v, *why):
    print("VERDICT:", v, *why, flush=True)
def syscall(nr, *a):
    l = ctypes.CDLL(None, use_errno=True); r = l.syscall(nr, *a); return r, errno.errorcode.get(ctypes.get_errno(), ctypes.get_errno())
X64 = os.uname().machine == "x86_64"
def burn(s):
    e=time.process_time()+s
    while time.process_time()<e: pass
    os._exit(0)
signal.signal(signal.SIGCHLD,signal.SIG_IGN); n=0
while n<700:
    if os.fork()==0: burn(.006)
    n+=1
    try: os.wait()
    except ChildProcessError: pass
verdict("ESCAPED",n,"children of 6 ms")
