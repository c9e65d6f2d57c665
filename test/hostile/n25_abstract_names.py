# list and try every abstract socket name the kernel shows, with odd spellings
# expect: held
bad=[]; seen=[]
try: seen=[l.split()[-1][1:] for l in open("/proc/net/unix") if l.split()[-1].startswith("@")]
except OSError: pass
if P["abstract"] in seen: bad.append("listed")
for n in set(seen)|{P["abstract"],P["abstract"]+"\0","/tmp/.X11-unix/X0","/org/kernel/linux/storage/multipathd","/containerd-shim/x.sock"}:
    for t in (socket.SOCK_STREAM,socket.SOCK_DGRAM,socket.SOCK_SEQPACKET):
        try: s=socket.socket(socket.AF_UNIX,t); s.settimeout(.5); s.connect("\0"+n); bad.append(n)
        except (OSError,ValueError): pass
verdict("ESCAPED",bad[:3]) if bad else verdict("HELD",len(seen))
