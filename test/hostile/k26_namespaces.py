# a namespace of every kind by unshare, clone and clone3, with stray high bits
# expect: held
kinds={"ns":0x20000,"cgroup":0x2000000,"uts":0x4000000,"ipc":0x8000000,"user":0x10000000,"pid":0x20000000,"net":0x40000000,"time":0x80,"user+ns":0x10020000}
bad=[]; high=1<<40
unshare,clone,clone3=(272,56,435) if X64 else (97,220,435)
def inChild(f):
    p=os.fork()
    if p==0:
        try: os._exit(0 if f() else 1)
        except BaseException: os._exit(2)
    return os.waitpid(p,0)[1]==0
libc=ctypes.CDLL(None,use_errno=True); libc.syscall.restype=ctypes.c_long
def cloned(*a):
    r=libc.syscall(*a)
    if r==0: os._exit(0)
    if r>0: os.waitpid(r,0)
    return r>0
for n,f in kinds.items():
    for extra in (0,high):
        if inChild(lambda: libc.syscall(unshare,ctypes.c_ulong(f|extra))==0): bad.append(("unshare",n,extra))
        if n!="time" and inChild(lambda: cloned(clone,ctypes.c_ulong(f|extra|17),ctypes.c_void_p(0),ctypes.c_void_p(0),ctypes.c_void_p(0),ctypes.c_void_p(0))): bad.append(("clone",n,extra))
    args=(ctypes.c_uint64*11)(); args[0]=f; args[4]=17
    if inChild(lambda: cloned(clone3,ctypes.byref(args),ctypes.c_ulong(88))): bad.append(("clone3",n))
verdict("ESCAPED",bad) if bad else verdict("HELD")
