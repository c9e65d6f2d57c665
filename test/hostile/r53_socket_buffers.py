# full buffers of Unix sockets in several processes
# expect: limited | killed:memory | crash
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
