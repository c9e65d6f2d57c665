# make the machine end others first when it runs out of memory
# expect: held
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
