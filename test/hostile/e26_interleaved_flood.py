# flood standard output and standard error from eight threads
# expect: killed:output | killed:timeout
import os, sys, json, errno, time, ctypes, socket, signal
if os.environ.get("HOSTILE_OK") != "1": sys.exit("refusing: run me only inside a sandbox driver (HOSTILE_OK=1)")
P = json.loads(os.environ.get("HOSTILE_PARAMS", "{}"))
def verdict(v, *why):
    print("VERDICT:", v, *why, flush=True)
def syscall(nr, *a):
    l = ctypes.CDLL(None, use_errno=True); r = l.syscall(nr, *a); return r, errno.errorcode.get(ctypes.get_errno(), ctypes.get_errno())
X64 = os.uname().machine == "x86_64"
import threading
def f(fd):
    while True: os.write(fd,b"\x1b[31m"*8192)
for i in range(8): threading.Thread(target=f,args=(1+i%2,)).start()
