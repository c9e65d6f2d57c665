# UDP to the host's loopback, broadcast and multicast on every interface
# expect: held
bad=[]; sent=[]
for a in ("127.0.0.1","255.255.255.255","224.0.0.1","239.1.2.3","169.254.1.1","172.17.0.1","10.0.2.2"):
    try:
        s=socket.socket(socket.AF_INET,socket.SOCK_DGRAM); s.setsockopt(socket.SOL_SOCKET,socket.SO_BROADCAST,1); s.settimeout(.2)
        s.sendto(b"hostile",(a,P["udpPort"])); sent.append(a)
        if s.recvfrom(64)[0]==b"host": bad.append(a)
    except OSError: pass
for a in ("::1","ff02::1","ff05::2"):
    try: s=socket.socket(socket.AF_INET6,socket.SOCK_DGRAM); s.settimeout(.2); s.sendto(b"hostile",(a,P["udpPort"])); sent.append(a); bad.append(a) if s.recvfrom(64)[0]==b"host" else None
    except OSError: pass
try:
    s=socket.socket(socket.AF_INET,socket.SOCK_DGRAM); s.bind(("",5353)); s.setsockopt(socket.IPPROTO_IP,socket.IP_ADD_MEMBERSHIP,socket.inet_aton("224.0.0.251")+socket.inet_aton("0.0.0.0")); s.settimeout(.3); s.recvfrom(1500); bad.append("mdns heard")
except OSError: pass
verdict("ESCAPED",bad) if bad else verdict("HELD",sent)
