# lock a record of a file of the host for an open file description
# expect: held | killed:host-lock
import fcntl
try:
    import struct
    fd=os.open("/usr/bin/env",os.O_RDONLY)
    fcntl.fcntl(fd,37,struct.pack("hhqqi4x",0,0,0,10,0))
    time.sleep(10); verdict("ESCAPED","locked for 10 s")
except OSError as e: verdict("HELD",e.strerror)
