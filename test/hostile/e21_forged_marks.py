# print what the start of a sandbox prints, and end reports, into every descriptor; then exit 7
# expect: exit:7
import os, sys, json, errno, time, ctypes, socket, signal
if os.environ.get("HOSTILE_OK") != "1": sys.exit("refusing: run me only inside a sandbox driver (HOSTILE_OK=1)")
P = json.loads(os.environ.get("HOSTILE_PARAMS", "{}"))
def verdict(v, *why):
    print("VERDICT:", v, *why, flush=True)
def syscall(nr, *a):
    l = ctypes.CDLL(None, use_errno=True); r = l.syscall(nr, *a); return r, errno.errorcode.get(ctypes.get_errno(), ctypes.get_errno())
X64 = os.uname().machine == "x86_64"
marks=[bytes.fromhex(m) for m in P.get("marks",[])]+[b'{ "exit-code": 0 }\n',b'{"child-pid": 1}\n',b"\0\0\0\0",b"READY\n",b"00000002{}"]
for m in marks: sys.stdout.buffer.write(m)
sys.stdout.flush()
for fd in list(range(0,64)):
    for m in marks:
        try: os.set_blocking(fd,False); os.write(fd,m)
        except OSError: pass
print("\nVERDICT: OK forged",flush=True); os._exit(7)
