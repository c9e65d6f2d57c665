# exit 0 at once and leave children that flood the output
# expect: ok | killed:output
import os, sys, json, errno, time, ctypes, socket, signal
if os.environ.get("HOSTILE_OK") != "1": sys.exit("refusing: run me only inside a sandbox driver (HOSTILE_OK=1)")
P = json.loads(os.environ.get("HOSTILE_PARAMS", "{}"))
def verdict(v, *why):
    print("VERDICT:", v, *why, flush=True)
def syscall(nr, *a):
    l = ctypes.CDLL(None, use_errno=True); r = l.syscall(nr, *a); return r, errno.errorcode.get(ctypes.get_errno(), ctypes.get_errno())
X64 = os.uname().machine == "x86_64"
verdict("OK")
for _ in range(4):
    if os.fork()==0:
        os.setsid(); signal.signal(signal.SIGPIPE,signal.SIG_IGN); end=time.time()+20
        while time.time()<end:
            try: os.write(1,b"B"*65536); os.write(2,b"C"*65536)
            except OSError: time.sleep(.01)
        os._exit(0)
os._exit(0)
