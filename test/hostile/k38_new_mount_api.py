# mount by the newer calls, by remounting what is there, and over /proc
# expect: held
bad=[]; l=ctypes.CDLL(None,use_errno=True)
mount=165 if X64 else 40
for src,dst,fs,fl in ((b"none",b"/",None,32|4096),(b"none",b"/usr",None,32),(b"none",b"/proc",None,32),(b"none",b"/",None,1<<18),(b"/proc",b"/tmp",None,8192),(b"tmpfs",b"/proc",b"tmpfs",0),(b"proc",b"/work",b"proc",0),(b"sysfs",b"/work",b"sysfs",0),(b"overlay",b"/work",b"overlay",0),(b"devpts",b"/tmp",b"devpts",0),(b"fuse",b"/tmp",b"fuse",0),(b"/dev/vda1",b"/tmp",b"ext4",0)):
    if syscall(mount,src,dst,fs,ctypes.c_ulong(fl),None)[0]==0: bad.append((src,dst,fs))
for n,nr,a in (("fsopen",430,(b"tmpfs",0)),("fspick",433,(-100,b"/",0)),("open_tree",428,(-100,b"/",1)),("mount_setattr",442,(-100,b"/",0,ctypes.create_string_buffer(32),ctypes.c_ulong(32))),("move_mount",429,(-100,b"/usr",-100,b"/work",0))):
    r,e=syscall(nr,*a)
    if r>=0 or e not in ("EPERM","ENOSYS","EACCES"): bad.append((n,r,e))
for p in (b"/proc",b"/dev",b"/usr",b"/",b"/work",b"/tmp"):
    if l.umount2(p,2)==0: bad.append(("umount",p))
verdict("ESCAPED",bad) if bad else verdict("HELD")
