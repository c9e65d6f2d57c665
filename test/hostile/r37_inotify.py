# inotify and epoll instances and watches for ever (bounded by its descriptors)
# expect: limited | ok
l=ctypes.CDLL(None,use_errno=True); n=0; w=0
for i in range(5000):
    fd=l.inotify_init()
    if fd<0: break
    n+=1
    for d in (b"/",b"/usr",b"/tmp",b"/work",b"/dev"):
        if l.inotify_add_watch(fd,d,0xfff)>=0: w+=1
verdict("LIMITED" if n<5000 else "ESCAPED",n,"instances",w,"watches")
