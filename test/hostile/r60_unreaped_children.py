# use up CPU time in children that nobody waits for
# expect: killed:cpu
def burn(s):
    e=time.process_time()+s
    while time.process_time()<e: pass
    os._exit(0)
n=0
while n<150:
    pid=os.fork()
    if pid==0: burn(.03)
    n+=1; os.waitid(os.P_PID,pid,os.WEXITED|os.WNOWAIT)
verdict("ESCAPED",n,"children of 30 ms")
