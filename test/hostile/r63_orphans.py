# use up CPU time in orphans, each started by the one before it
# expect: killed:cpu
def burn(s):
    e=time.process_time()+s
    while time.process_time()<e: pass
    os._exit(0)
n=0
if os.fork()==0:
    signal.signal(signal.SIGCHLD,signal.SIG_IGN)
    while n<150:
        n+=1; e=time.process_time()+.03
        while time.process_time()<e: pass
        if os.fork()>0: os._exit(0)
    verdict("ESCAPED","orphans"); os._exit(0)
time.sleep(29)
