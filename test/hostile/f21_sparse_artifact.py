# a sparse file of 4 GB, and one of 1 TB, as artifacts
# expect: ok | limited | killed:disk
import os, sys, json, errno, time, ctypes, socket, signal
if os.environ.get("HOSTILE_OK") != "1": sys.exit("refusing: run me only inside a sandbox driver (HOSTILE_OK=1)")
P = json.loads(os.environ.get("HOSTILE_PARAMS", "{}"))
def verdict(v, *why):
    print("VERDICT:", v, *why, flush=True)
def syscall(nr, *a):
    l = ctypes.CDLL(None, use_errno=True); r = l.syscall(nr, *a); return r, errno.errorcode.get(ctypes.get_errno(), ctypes.get_errno())
X64 = os.uname().machine == "x86_64"
made=[]
for name,size in (("four.bin",4<<30),("tera.bin",1<<40)):
    try:
        with open(name,"wb") as f: f.truncate(size)
        made.append(name)
    except OSError as e: print(name,e.strerror)
open("plain.txt","w").write("plain")
verdict("OK" if made else "LIMITED",made)
