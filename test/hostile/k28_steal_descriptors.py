# pidfd_getfd, process_vm_writev and /proc/PID/mem of pid 1 and the parent
# expect: held
import struct
bad=[]
writev=311 if X64 else 271; readv=310 if X64 else 270
for p in {1,os.getppid()}:
    if p in (0,os.getpid()): continue
    r,_=syscall(434,p,0)
    if r>=0:
        for fd in range(0,16):
            got,_=syscall(438,r,fd,0)
            if got>=0: bad.append(("pidfd_getfd",p,fd)); break
    try: a=int(open(f"/proc/{p}/maps").readline().split("-")[0],16)
    except (OSError,ValueError): a=0x400000
    buf=ctypes.create_string_buffer(8); local=struct.pack("QQ",ctypes.addressof(buf),8); remote=struct.pack("QQ",a,8)
    if syscall(readv,p,local,ctypes.c_ulong(1),remote,ctypes.c_ulong(1),ctypes.c_ulong(0))[0]>0: bad.append(("process_vm_readv",p))
    if syscall(writev,p,local,ctypes.c_ulong(1),remote,ctypes.c_ulong(1),ctypes.c_ulong(0))[0]>0: bad.append(("process_vm_writev",p))
    try: os.close(os.open(f"/proc/{p}/mem",os.O_RDWR)); bad.append(("mem",p))
    except OSError: pass
for f in ("environ","root","fd","task/1/mem"):
    try:
        if (os.listdir if f in ("root","fd") else lambda p: open(p,"rb").read(1))(f"/proc/1/{f}"): bad.append("/proc/1/"+f)
    except OSError: pass
verdict("ESCAPED",bad) if bad else verdict("HELD")
