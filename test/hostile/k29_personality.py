# personalities that switch protections of memory off (READ_IMPLIES_EXEC, ADDR_NO_RANDOMIZE, MMAP_PAGE_ZERO)
# expect: held
nr=135 if X64 else 92; bad=[]
for n,f in (("READ_IMPLIES_EXEC",0x400000),("MMAP_PAGE_ZERO",0x100000),("SVR4",0x100001),("READ_IMPLIES_EXEC, high bits",(1<<36)|0x400000)):
    if syscall(nr,ctypes.c_ulong(f))[0]>=0: bad.append(n)
verdict("ESCAPED",bad) if bad else verdict("HELD")
