# lock a folder of the host by a shared flock of a child that has ended
# expect: held | killed:host-lock
import fcntl
try:
    fd=os.open("/usr/share",os.O_RDONLY)
    if os.fork()==0:
        fcntl.flock(fd,fcntl.LOCK_SH|fcntl.LOCK_NB); os._exit(0)
    os.wait()
    time.sleep(10); verdict("ESCAPED","locked for 10 s")
except OSError as e: verdict("HELD",e.strerror)
