# connect to sockets in the file system: the host's planted one, Docker, D-Bus, X11, systemd, agents
# expect: held
import os, sys, json, errno, time, ctypes, socket, signal
if os.environ.get("HOSTILE_OK") != "1": sys.exit("refusing: run me only inside a sandbox driver (HOSTILE_OK=1)")
P = json.loads(os.environ.get("HOSTILE_PARAMS", "{}"))
def verdict(v, *why):
    print("VERDICT:", v, *why, flush=True)
def syscall(nr, *a):
    l = ctypes.CDLL(None, use_errno=True); r = l.syscall(nr, *a); return r, errno.errorcode.get(ctypes.get_errno(), ctypes.get_errno())
X64 = os.uname().machine == "x86_64"
import glob
bad=[]
names=[P.get("unixSock",""),"/var/run/docker.sock","/run/docker.sock","/run/containerd/containerd.sock","/run/podman/podman.sock","/run/dbus/system_bus_socket","/run/systemd/private","/run/systemd/notify","/run/systemd/journal/stdout","/dev/log","/tmp/.X11-unix/X0","/run/snapd.socket","/run/acpid.socket"]+glob.glob("/run/user/*/*")+glob.glob("/tmp/ssh-*/*")+glob.glob("/tmp/**/*.sock",recursive=True)
for n in filter(None,names):
    for t in (socket.SOCK_STREAM,socket.SOCK_DGRAM):
        try: s=socket.socket(socket.AF_UNIX,t); s.settimeout(.5); s.connect(n); bad.append(n)
        except OSError: pass
verdict("ESCAPED",bad) if bad else verdict("HELD",len(names))
