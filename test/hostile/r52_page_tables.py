# page tables of a huge mapping that holds nothing but the page of zeros
# expect: limited | killed:memory | crash
def done(held):
    time.sleep(.3)
    verdict("ESCAPED" if held>(400<<20) else "LIMITED",held>>20,"MiB")
l=ctypes.CDLL(None,use_errno=True); l.mmap.restype=ctypes.c_void_p
size=600<<30; at=l.mmap(None,ctypes.c_size_t(size),1,0x4022,-1,ctypes.c_long(0)); n=0
l.madvise(ctypes.c_void_p(at),ctypes.c_size_t(size),15)
for i in range(0,size,2<<20):
    ctypes.c_char.from_address(at+i).value; n+=4096
done(n)
