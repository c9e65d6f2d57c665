# System V and POSIX shared memory and message queues (self-bounded at 2 GiB)
# expect: limited | killed:memory
l=ctypes.CDLL(None,use_errno=True); l.shmat.restype=ctypes.c_void_p; n=0; q=0
for i in range(64):
    k=l.shmget(0,ctypes.c_size_t(32<<20),0o1600)
    if k<0: break
    a=l.shmat(k,None,0)
    if a in (None,2**64-1): break
    ctypes.memset(a,1,32<<20); n+=32
try: rt=ctypes.CDLL("librt.so.1",use_errno=True)
except OSError: rt=l
for i in range(300):
    if rt.mq_open(b"/q%d"%i,0o102,0o600,None)<0: break
    q+=1
for i in range(2000):
    if l.msgget(0,0o1600)<0: break
verdict("ESCAPED" if n>=512 else "LIMITED",n,"MiB",q,"queues")
