# resolve names: the system resolver, and questions sent to name servers by hand over UDP and TCP
# expect: held
import struct
bad=[]
for h in ("example.com","metadata.google.internal","host.docker.internal","gateway.docker.internal"):
    try: bad.append((h,socket.getaddrinfo(h,80)[0][4][0]))
    except OSError: pass
servers={"8.8.8.8","1.1.1.1","127.0.0.11","127.0.0.53","127.0.0.1","169.254.169.253","10.0.2.3"}
try: servers|={l.split()[1] for l in open("/etc/resolv.conf") if l.startswith("nameserver")}
except (OSError,IndexError): pass
q=struct.pack(">HHHHHH",7,0x100,1,0,0,0)+b"\7example\3com\0"+struct.pack(">HH",1,1)
for s in servers:
    try: u=socket.socket(socket.AF_INET6 if ":" in s else socket.AF_INET,socket.SOCK_DGRAM); u.settimeout(.2); u.sendto(q,(s,53)); u.recvfrom(512); bad.append(("udp",s))
    except OSError: pass
    try: socket.create_connection((s,53),.2).close(); bad.append(("tcp",s))
    except OSError: pass
verdict("ESCAPED",bad) if bad else verdict("HELD",len(servers))
