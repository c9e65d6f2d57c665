# TIOCSTI and TIOCLINUX on a terminal of its own, with high bits that a careless filter overlooks
# expect: held
nr=16 if X64 else 29; bad=[]; notes=[]
fds=[0,1,2]
try:
    import pty
    m,s=pty.openpty(); os.setsid() if os.getpid()!=os.getsid(0) else None
    import fcntl,termios
    try: fcntl.ioctl(s,termios.TIOCSCTTY,0)
    except OSError as e: notes.append(e.strerror)
    fds+=[m,s]
except OSError as e: notes.append(e.strerror)
for fd in fds:
    for n,cmd in (("TIOCSTI",0x5412),("TIOCLINUX",0x541C),("TIOCCONS",0x541D)):
        for high in (0,1<<32,0xffffffff<<32,1<<63):
            r,e=syscall(nr,fd,ctypes.c_ulong(cmd|high),b"\x02#")
            if r>=0: bad.append((n,fd,hex(high)))
verdict("ESCAPED",bad) if bad else verdict("HELD",notes)
