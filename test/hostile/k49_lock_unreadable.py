# lock a file of the host by a child that has ended, from a program that may be run and not read
# expect: held | killed:host-lock
import fcntl, shutil
try:
    fd=os.open("/usr/bin/tail",os.O_RDONLY); os.set_inheritable(fd,True)
    if os.fork()==0:
        fcntl.flock(fd,fcntl.LOCK_SH|fcntl.LOCK_NB); os._exit(0)
    os.wait()
    shutil.copy("/bin/sleep","unreadable"); os.chmod("unreadable",0o111)
    if os.fork()==0: os.execv("unreadable",["sleep","10"])
    os.close(fd)
    os.wait(); verdict("ESCAPED","locked for 10 s")
except OSError as e: verdict("HELD",e.strerror)
