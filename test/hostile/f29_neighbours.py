# find another sandbox: its files in /tmp, /dev/shm and /work, its processes, shared memory and sockets
# expect: held
mark="NEIGHBOUR-"+"SECRET"; bad=[]; end=time.time()+2
libc=ctypes.CDLL(None,use_errno=True)
def look(path):
    try:
        with open(path,errors="replace") as f:
            if mark in f.read(65536): bad.append(path)
    except (OSError,ValueError): pass
while time.time()<end and not bad:
    for top in ("/tmp","/dev/shm","/work","/var/tmp","/run"):
        for root,_,files in os.walk(top):
            for f in files[:100]:
                p=os.path.join(root,f)
                if os.path.basename(sys.argv[0])!=f: look(p)
    for p in [x for x in os.listdir("/proc") if x.isdigit() and int(x)!=os.getpid()]:
        look(f"/proc/{p}/cmdline"); look(f"/proc/{p}/environ"); look(f"/proc/{p}/root/work/secret.txt"); look(f"/proc/{p}/cwd/secret.txt")
    if libc.shmget(0x54555454,4096,0)>=0: bad.append("shmget")
    if libc.semget(0x54555454,1,0)>=0: bad.append("semget")
    try: socket.socket(socket.AF_UNIX).connect("\0neighbour"); bad.append("abstract")
    except OSError: pass
    try: socket.create_connection(("127.0.0.1",40404),.1).close(); bad.append("loopback")
    except OSError: pass
    time.sleep(.1)
verdict("ESCAPED",bad[:3]) if bad else verdict("HELD")
