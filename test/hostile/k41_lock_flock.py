# lock a file of the host by flock, and keep it
# expect: held | killed:host-lock
import fcntl
try:
    fd=os.open("/usr/bin/env",os.O_RDONLY)
    fcntl.flock(fd,fcntl.LOCK_EX|fcntl.LOCK_NB)
    time.sleep(10); verdict("ESCAPED","locked for 10 s")
except OSError as e: verdict("HELD",e.strerror)
