# make the machine end others first when it runs out of memory
# expect: held
import os, sys, json, errno, time, ctypes, socket, signal
if os.environ.get("HOSTILE_OK") != "1": sys.exit("refusing: run me only inside a sandbox driver (HOSTILE_OK=1)")
P = json.loads(os.environ.get("HOSTILE_PARAMS", "{}"))
def verdict(v, *why):
    print("VERDICT:", v, *why, flush=True)
def syscall(nr, *a):
    l = ctypes.CDLL(None, use_errno=True); r = l.syscall(nr, *a); return r, errno.errorcode.get(ctypes.get_errno(), ctypes.get_errno())
X64 = os.uname().machine == "x86_64"
bad=[]; own=open("/proc/self/oom_score_adj").read().strip(); print("own",own)
pid=os.fork()
if pid==0: time.sleep(5); os._exit(0)
for path,value in (("/proc/self/oom_score_adj","0"),("/proc/self/oom_score_adj","-1000"),("/proc/self/oom_adj","0"),("/proc/thread-self/../../oom_score_adj","1"),("/proc/%d/oom_score_adj"%pid,"0"),("/proc/%d/task/%d/oom_score_adj"%(pid,pid),"0")):
    try:
        with open(path,"w") as f: f.write(value)
    except OSError as e: print(path,e.strerror)
for who in ("self",str(pid)):
    if int(open("/proc/%s/oom_score_adj"%who).read())<500: bad.append(who)
os.kill(pid,9)
verdict("ESCAPED",bad) if bad else verdict("HELD")
