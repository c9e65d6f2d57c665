# control: a sandbox with secrets everywhere, running beside others
# expect: ok
import os, sys, json, errno, time, ctypes, socket, signal
if os.environ.get("HOSTILE_OK") != "1": sys.exit("refusing: run me only inside a sandbox driver (HOSTILE_OK=1)")
P = json.loads(os.environ.get("HOSTILE_PARAMS", "{}"))
def verdict(v, *why):
    print("VERDICT:", v, *why, flush=True)
def syscall(nr, *a):
    l = ctypes.CDLL(None, use_errno=True); r = l.syscall(nr, *a); return r, errno.errorcode.get(ctypes.get_errno(), ctypes.get_errno())
X64 = os.uname().machine == "x86_64"
mark="NEIGHBOUR-"+"SECRET"
for p in ("secret.txt","/tmp/secret.txt","/dev/shm/secret.txt"):
    try: open(p,"w").write(mark)
    except OSError as e: print(p,e.strerror)
libc=ctypes.CDLL(None,use_errno=True); libc.shmget(0x54555454,4096,0o1666); libc.semget(0x54555454,1,0o1666)
a=socket.socket(socket.AF_UNIX); a.bind("\0neighbour"); a.listen()
t=socket.socket(); t.bind(("127.0.0.1",40404)); t.listen()
print("up",flush=True); time.sleep(3); verdict("OK")
