# lock a record of a file of the host by fcntl
# expect: held | killed:host-lock
import fcntl
try:
    fd=os.open("/usr/bin/env",os.O_RDONLY)
    fcntl.lockf(fd,fcntl.LOCK_SH|fcntl.LOCK_NB,10)
    time.sleep(10); verdict("ESCAPED","locked for 10 s")
except OSError as e: verdict("HELD",e.strerror)
