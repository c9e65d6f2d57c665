# lock a file of the host by a child that has ended, from a process whose first thread has ended
# expect: held | killed:host-lock
import fcntl, threading
def wait():
    time.sleep(10); verdict("ESCAPED","locked for 10 s"); os._exit(0)
try:
    fd=os.open("/usr/bin/cut",os.O_RDONLY)
    if os.fork()==0:
        fcntl.flock(fd,fcntl.LOCK_SH|fcntl.LOCK_NB); os._exit(0)
    os.wait()
    threading.Thread(target=wait).start()
    # ends just the thread that calls it
    syscall(60 if X64 else 93,0)
except OSError as e: verdict("HELD",e.strerror)
