# full buffers of TCP connections to itself
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
n=0; keep=[]; server=socket.create_server(("127.0.0.1",0),backlog=500)
try:
    until=time.time()+9
    while n<(1200<<20) and time.time()<until:
        a=socket.create_connection(server.getsockname()); b,_=server.accept(); keep+=[a,b]
        for x in (a,b):
            x.setblocking(False)
            end=time.time()+.05
            while time.time()<end:
                try: n+=x.send(b"x"*(1<<20))
                except BlockingIOError: time.sleep(.002)
except OSError as e: print(e.strerror)
done(n)
