# lock a file of the host by a child that has ended, from a process that hides its open files
# expect: held | killed:host-lock
import fcntl
# not dumpable: its folder in /proc belongs to root
ctypes.CDLL(None).prctl(4,0,0,0,0)
try:
    fd=os.open("/usr/bin/sort",os.O_RDONLY)
    if os.fork()==0:
        fcntl.flock(fd,fcntl.LOCK_SH|fcntl.LOCK_NB); os._exit(0)
    os.wait()
    time.sleep(10); verdict("ESCAPED","locked for 10 s")
except OSError as e: verdict("HELD",e.strerror)
