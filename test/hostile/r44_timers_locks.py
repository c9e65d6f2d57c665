# timers, signals, locks and eventfds for ever (self-bounded)
# expect: limited | ok
import fcntl, struct
l=ctypes.CDLL(None,use_errno=True); t=0; e=0; k=0
tid=ctypes.c_void_p()
for i in range(30000):
    if syscall(222 if X64 else 107,0,None,ctypes.byref(tid))[0]<0: break
    t+=1
for i in range(5000):
    if l.eventfd(0,0)<0: break
    e+=1
if e:
    try: os.close(e+2)
    except OSError: pass
try:
    f=open("lock","wb+")
    for i in range(0,6000,2): fcntl.lockf(f,fcntl.LOCK_EX|fcntl.LOCK_NB,1,i); k+=1
except OSError as x: print(x.strerror)
verdict("LIMITED" if e<5000 else "ESCAPED",t,"timers",e,"eventfds",k,"locks")
