# connect to sockets in the file system: the host's planted one, Docker, D-Bus, X11, systemd, agents
# expect: held
import glob
bad=[]
names=[P.get("unixSock",""),"/var/run/docker.sock","/run/docker.sock","/run/containerd/containerd.sock","/run/podman/podman.sock","/run/dbus/system_bus_socket","/run/systemd/private","/run/systemd/notify","/run/systemd/journal/stdout","/dev/log","/tmp/.X11-unix/X0","/run/snapd.socket","/run/acpid.socket"]+glob.glob("/run/user/*/*")+glob.glob("/tmp/ssh-*/*")+glob.glob("/tmp/**/*.sock",recursive=True)
for n in filter(None,names):
    for t in (socket.SOCK_STREAM,socket.SOCK_DGRAM):
        try: s=socket.socket(socket.AF_UNIX,t); s.settimeout(.5); s.connect(n); bad.append(n)
        except OSError: pass
verdict("ESCAPED",bad) if bad else verdict("HELD",len(names))
