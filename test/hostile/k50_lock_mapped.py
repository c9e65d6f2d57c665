# lock a file of the host by a child that has ended, kept by a mapping alone
# expect: held | killed:host-lock
import fcntl
libc=ctypes.CDLL(None,use_errno=True); libc.mmap.restype=ctypes.c_void_p
libc.mmap.argtypes=[ctypes.c_void_p,ctypes.c_size_t,ctypes.c_int,ctypes.c_int,ctypes.c_int,ctypes.c_long]
try:
    fd=os.open("/usr/bin/head",os.O_RDONLY)
    if os.fork()==0:
        fcntl.flock(fd,fcntl.LOCK_SH|fcntl.LOCK_NB); os._exit(0)
    os.wait()
    # not by the module mmap, which keeps a descriptor of its own
    libc.mmap(None,4096,1,2,fd,0); os.close(fd)
    time.sleep(10); verdict("ESCAPED","locked for 10 s")
except OSError as e: verdict("HELD",e.strerror)
