# real-time scheduling, negative nice values, real-time I/O, higher resource limits
# expect: held
import resource
bad=[]
for n,p in (("fifo",os.SCHED_FIFO),("rr",os.SCHED_RR)):
    try: os.sched_setscheduler(0,p,os.sched_param(1)); bad.append(n)
    except OSError: pass
try:
    if os.nice(-5)<0: bad.append("nice")
except OSError: pass
b=ctypes.create_string_buffer(48); ctypes.memmove(b,(48).to_bytes(4,"little")+(6).to_bytes(4,"little")+bytes(16)+(10**6).to_bytes(8,"little")+(10**7).to_bytes(8,"little")+(10**7).to_bytes(8,"little"),48)
if syscall(314 if X64 else 274,0,b,0)[0]==0: bad.append("deadline")
if syscall(251 if X64 else 30,1,0,(1<<13)|0)[0]==0: bad.append("ioprio rt")
for n in ("RLIMIT_NOFILE","RLIMIT_CORE","RLIMIT_RTPRIO","RLIMIT_NICE","RLIMIT_MEMLOCK"):
    r=getattr(resource,n,None)
    if r is None: continue
    try: soft,hard=resource.getrlimit(r)
    except OSError: continue
    if hard==resource.RLIM_INFINITY:
        if n!="RLIMIT_MEMLOCK": bad.append(n+" unlimited")
        continue
    try: resource.setrlimit(r,(hard+1,hard+1)); bad.append(n)
    except (OSError,ValueError): pass
try: os.write(os.open("/proc/self/oom_score_adj",os.O_WRONLY),b"-1000"); bad.append("oom_score_adj")
except OSError: pass
verdict("ESCAPED",bad) if bad else verdict("HELD")
