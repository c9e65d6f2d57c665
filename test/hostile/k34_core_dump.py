# die with a large core: no dump may be written nor handed to a program of the host
# expect: held
import resource
hard=[l for l in open("/proc/self/limits") if l.startswith("Max core")][0].split()[5]
changed=[]
def change(name,call):
    try: call(); changed.append(name)
    except (OSError,ValueError): pass
for limit in [(0,0),(0,1),(1,1),(-1,-1)]:
    change("prlimit%s"%(limit,),lambda: resource.setrlimit(resource.RLIMIT_CORE,limit))
    value=(ctypes.c_ulong*2)(*limit)
    if syscall(160 if X64 else 164,4,value)[0]==0: changed.append("setrlimit%s"%(limit,))
    # high bits, which the kernel ignores
    if syscall(302 if X64 else 261,0,ctypes.c_ulong(4|1<<32),value,None)[0]==0: changed.append("high bits%s"%(limit,))
p=os.fork()
if p==0:
    x=bytearray(b"x")*(32<<20); os.kill(os.getpid(),signal.SIGABRT)
s=os.waitpid(p,0)[1]; cores=[f for f in os.listdir(".") if f.startswith("core")]
verdict("ESCAPED",cores,s,hard,changed) if cores or os.WCOREDUMP(s) or hard not in ("0","1") or changed else verdict("HELD",s)
