# ping by unprivileged ICMP sockets and raw sockets
# expect: held
bad=[]
for fam,proto,hosts in ((socket.AF_INET,1,("1.1.1.1","169.254.169.254","172.17.0.1","10.0.2.2")),(socket.AF_INET6,58,("2606:4700:4700::1111","ff02::1"))):
    for kind in (socket.SOCK_DGRAM,socket.SOCK_RAW):
        try: s=socket.socket(fam,kind,proto)
        except OSError: continue
        if kind==socket.SOCK_RAW: bad.append("raw socket")
        s.settimeout(.3)
        for h in hosts:
            try: s.sendto((b"\x08" if proto==1 else b"\x80")+b"\0\xf7\xfe\0\1\0\0",(h,0)); s.recvfrom(256); bad.append(h)
            except OSError: pass
verdict("ESCAPED",bad) if bad else verdict("HELD")
