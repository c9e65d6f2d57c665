# full buffers of Unix sockets in several processes
# expect: limited | killed:memory | crash
import os, sys, json, errno, time, ctypes, socket, signal
if os.environ.get("HOSTILE_OK") != "1": sys.exit("refusing: run me only inside a sandbox driver (HOSTILE_OK=1)")
P = json.loads(os.environ.get("HOSTILE_PARAMS", "{}"))
def verdict(v, *why):
    print("VERDICT:", v, *why, flush=True)
def syscall(nr, *a):
    l = ctypes.CDLL(None, use_errno=True); r = l.syscall(nr, *a); return r, errno.errorcode.get(ctypes.get_errno(), ctypes.get_errno())
X64 = os.uname().machine == "x86_64"
def done(held):
    time.sleep(.3)
    verdict("ESCAPED" if held>(400<<20) else "LIMITED",held>>20,"MiB")
import array
r,w=os.pipe(); kids=6
for k in range(kids):
    if os.fork()==0:
        n=0; s=[]
        try:
            while len(s)<900 and n<(220<<20):
                a,b=socket.socketpair(socket.AF_UNIX,socket.SOCK_DGRAM if k%2 else socket.SOCK_STREAM); s+=[a,b]
                for x in (a,b):
                    x.setblocking(False); x.setsockopt(socket.SOL_SOCKET,socket.SO_SNDBUF,1<<20)
                    try:
                        while True: n+=x.send(b"x"*32768)
                    except OSError: pass
        except OSError: pass
        os.write(w,b"%12d"%n); time.sleep(30)
done(sum(int(os.read(r,12)) for _ in range(kids)))
