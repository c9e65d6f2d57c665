# full buffers of TCP connections to itself
# expect: limited | killed:memory | crash
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
