# guess file handles of the host's root folder (open_by_handle_at)
# expect: held
import struct
nr=(304 if X64 else 265); bad=[]; errors=set()
for at in (b"/",b"/usr",b"/etc",b"/work",b"/tmp"):
    try: d=os.open(at,os.O_RDONLY)
    except OSError: continue
    for inode in (2,128,1):
        h=struct.pack("IiQI",8,1,inode,0)+b"\0"*8
        r,e=syscall(nr,d,ctypes.c_char_p(h),0)
        if r>=0: bad.append((at.decode(),inode))
        else: errors.add(e)
verdict("ESCAPED",bad) if bad or not errors<={"EPERM","ENOSYS"} else verdict("HELD",errors)
