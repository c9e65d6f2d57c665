# so many mappings in so many processes that their descriptions fill the memory
# expect: limited | killed | crash
def done(held):
    time.sleep(.3)
    verdict("ESCAPED" if held>(400<<20) else "LIMITED",held>>20,"MiB")
l=ctypes.CDLL(None,use_errno=True); l.mmap.restype=ctypes.c_void_p
r,w=os.pipe(); kids=48
for k in range(kids):
    if os.fork()==0:
        size=64000*4096; at=l.mmap(None,ctypes.c_size_t(size),0,0x4022,-1,ctypes.c_long(0)); n=0
        for i in range(0,size,8192):
            if l.mprotect(ctypes.c_void_p(at+i),ctypes.c_size_t(4096),1)<0: break
            n+=2
        os.write(w,b"%12d"%n); time.sleep(30)
done(sum(int(os.read(r,12)) for _ in range(kids))*192)
