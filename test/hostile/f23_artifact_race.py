# processes left behind that keep swapping a file for a link to a host file while artifacts are collected
# expect: ok
import os, sys, json, errno, time, ctypes, socket, signal
if os.environ.get("HOSTILE_OK") != "1": sys.exit("refusing: run me only inside a sandbox driver (HOSTILE_OK=1)")
P = json.loads(os.environ.get("HOSTILE_PARAMS", "{}"))
def verdict(v, *why):
    print("VERDICT:", v, *why, flush=True)
def syscall(nr, *a):
    l = ctypes.CDLL(None, use_errno=True); r = l.syscall(nr, *a); return r, errno.errorcode.get(ctypes.get_errno(), ctypes.get_errno())
X64 = os.uname().machine == "x86_64"
open("good","w").write("plain")
for _ in range(3):
    if os.fork()==0:
        os.setsid(); end=time.time()+20
        while time.time()<end:
            try: os.unlink("report.xml")
            except OSError: pass
            try: os.symlink(P["canary"],"report.xml")
            except OSError: pass
            try: os.unlink("report.xml"); os.link("good","report.xml"); os.rename("report.xml","dir-or-file")
            except OSError: pass
        os._exit(0)
time.sleep(.3); verdict("OK","left racing"); os._exit(0)
