# use up CPU time in children whose end is ignored, so that their parent is told nothing
# expect: killed:cpu
def burn(s):
    e=time.process_time()+s
    while time.process_time()<e: pass
    os._exit(0)
signal.signal(signal.SIGCHLD,signal.SIG_IGN); n=0
while n<150:
    if os.fork()==0: burn(.03)
    n+=1
    try: os.wait()
    except ChildProcessError: pass
verdict("ESCAPED",n,"children of 30 ms")
