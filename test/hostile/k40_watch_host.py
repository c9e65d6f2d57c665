# watch folders of the host for changes: inotify, dnotify, fanotify, leases
# expect: held
import fcntl
l=ctypes.CDLL(None,use_errno=True); bad=[]
for name,make in (("inotify_init",lambda: l.inotify_init()),("inotify_init1",lambda: l.inotify_init1(0o4000)),("raw inotify",lambda: syscall(294 if X64 else 26,0)[0])):
    fd=make()
    if fd>=0 and l.inotify_add_watch(fd,b"/usr/bin",0xfff)>=0: bad.append(name)
    print(name,fd)
if syscall(300 if X64 else 262,0x200,0)[0]>=0: bad.append("fanotify")
for path in ("/usr","/usr/bin","/"):
    fd=os.open(path,os.O_RDONLY)
    try: fcntl.fcntl(fd,1026,0x8000003f); bad.append("dnotify "+path)
    except OSError as e: print("dnotify",path,e.strerror)
for path in ("/usr/bin/env","/work/own"):
    if path.startswith("/work"): open(path,"w").close()
    fd=os.open(path,os.O_RDONLY)
    try: fcntl.fcntl(fd,1024,0); bad.append("lease "+path)
    except OSError as e: print("lease",path,e.strerror)
verdict("ESCAPED",bad) if bad else verdict("HELD")
