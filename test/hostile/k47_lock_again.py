# lock and unlock a file of the host again and again
# expect: held | killed:host-lock
import fcntl
try:
    fd=os.open("/usr/bin/id",os.O_RDONLY); end=time.time()+10
    while time.time()<end:
        fcntl.flock(fd,fcntl.LOCK_EX); time.sleep(.2); fcntl.flock(fd,fcntl.LOCK_UN)
    time.sleep(10); verdict("ESCAPED","locked for 10 s")
except OSError as e: verdict("HELD",e.strerror)
