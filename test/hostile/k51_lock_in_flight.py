# lock a file of the host by a child that has ended, kept in a message that is never read
# expect: held | killed:host-lock
import fcntl
try:
    a,b=socket.socketpair()
    if os.fork()==0:
        fd=os.open("/usr/bin/wc",os.O_RDONLY)
        fcntl.flock(fd,fcntl.LOCK_SH|fcntl.LOCK_NB)
        socket.send_fds(a,[b"x"],[fd]); os._exit(0)
    os.wait()
    time.sleep(10); verdict("ESCAPED","locked for 10 s")
except OSError as e: verdict("HELD",e.strerror)
