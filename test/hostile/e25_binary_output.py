# NUL, bytes that are no UTF-8, terminal titles, clipboard writes, cursor moves and bells on both streams
# expect: ok
import os, sys, json, errno, time, ctypes, socket, signal
if os.environ.get("HOSTILE_OK") != "1": sys.exit("refusing: run me only inside a sandbox driver (HOSTILE_OK=1)")
P = json.loads(os.environ.get("HOSTILE_PARAMS", "{}"))
def verdict(v, *why):
    print("VERDICT:", v, *why, flush=True)
def syscall(nr, *a):
    l = ctypes.CDLL(None, use_errno=True); r = l.syscall(nr, *a); return r, errno.errorcode.get(ctypes.get_errno(), ctypes.get_errno())
X64 = os.uname().machine == "x86_64"
noise=bytes(range(256))+b"\x1b]0;owned\x07\x1b]52;c;cm0gLXJm\x07\x1b[2J\x1b[?1049h\x1bP+q544e\x1b\\\xff\xfe\xc0\xaf\xed\xa0\x80\x9b31m\r\n\x08\x0c\x00"
for fd in (1,2): os.write(fd,noise*16)
os.write(1,b"\n"); verdict("OK",len(noise))
