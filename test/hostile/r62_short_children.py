# use up CPU time in ignored children that live for less than a tick of the clock
# expect: killed:cpu
def burn(s):
    e=time.process_time()+s
    while time.process_time()<e: pass
    os._exit(0)
signal.signal(signal.SIGCHLD,signal.SIG_IGN); n=0
while n<700:
    if os.fork()==0: burn(.006)
    n+=1
    try: os.wait()
    except ChildProcessError: pass
verdict("ESCAPED",n,"children of 6 ms")
