# use up what its user has outside, too: timers, queued signals, descriptors in flight, message queues
# expect: held
import array
l=ctypes.CDLL(None,use_errno=True); bad=[]
tid=ctypes.c_void_p(); n=0
while n<8000 and syscall(222 if X64 else 107,0,None,ctypes.byref(tid))[0]>=0: n+=1
print(n,"timers")
if n>2048: bad.append("timers")
pid=os.fork()
if pid==0:
    signal.pthread_sigmask(signal.SIG_BLOCK,range(34,64)); n=0
    info=(ctypes.c_int*32)(); info[0]=34; info[2]=-1
    while n<8000 and syscall(129 if X64 else 138,os.getpid(),34,info)[0]==0: n+=1
    print(n,"signals",flush=True); os._exit(n>2048)
if os.waitpid(pid,0)[1]: bad.append("signals")
n=0; keep=[]; fds=array.array("i",[os.open("/dev/null",os.O_RDONLY)]*200)
try:
    while n<4000:
        a,b=socket.socketpair(); keep+=[a,b]
        a.sendmsg([b"x"],[(socket.SOL_SOCKET,socket.SCM_RIGHTS,fds)]); n+=200
except OSError as e: print(e.strerror)
print(n,"in flight")
if n>1024: bad.append("in flight")
n=0
while n<600 and syscall(240 if X64 else 180,b"q%d"%n,0o102,0o600,None)[0]>=0: n+=1
print(n,"queues")
if n>2: bad.append("queues")
verdict("ESCAPED",bad) if bad else verdict("HELD")
