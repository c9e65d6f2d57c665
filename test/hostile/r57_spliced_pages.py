# pages in pipes whose mapping is gone: each keeps the huge page that it was part of
# expect: limited | killed:memory | crash
def done(held):
    time.sleep(.3)
    verdict("ESCAPED" if held>(400<<20) else "LIMITED",held>>20,"MiB")
l=ctypes.CDLL(None,use_errno=True); l.mmap.restype=ctypes.c_void_p; l.vmsplice.restype=ctypes.c_ssize_t
n=0; huge=2<<20; pipe=os.pipe(); used=0; keep=[pipe]
try:
    while n<(1<<30):
        at=l.mmap(None,ctypes.c_size_t(2*huge),3,0x22,-1,ctypes.c_long(0)); start=(at+huge-1)&~(huge-1)
        l.madvise(ctypes.c_void_p(start),ctypes.c_size_t(huge),14); ctypes.memset(start,1,huge)
        iov=(ctypes.c_size_t*2)(start,4096)
        if l.vmsplice(pipe[1],iov,ctypes.c_size_t(1),0)<0: break
        l.munmap(ctypes.c_void_p(at),ctypes.c_size_t(2*huge)); n+=huge; used+=1
        if used%15==0: pipe=os.pipe(); keep.append(pipe)
except OSError as e: print(e.strerror)
done(n)
