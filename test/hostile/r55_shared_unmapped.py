# shared memory of which one page stays mapped, or none is in the page table
# expect: limited | killed:memory | crash
def done(held):
    time.sleep(.3)
    verdict("ESCAPED" if held>(400<<20) else "LIMITED",held>>20,"MiB")
l=ctypes.CDLL(None,use_errno=True); l.mmap.restype=ctypes.c_void_p; n=0; step=32<<20
while n<(1<<30):
    at=l.mmap(None,ctypes.c_size_t(step),3,0x21,-1,ctypes.c_long(0)); ctypes.memset(at,1,step); n+=step
    if (n//step)%2: l.munmap(ctypes.c_void_p(at+4096),ctypes.c_size_t(step-4096))
    else: l.madvise(ctypes.c_void_p(at),ctypes.c_size_t(step),4)
    time.sleep(.01)
done(n)
