# stop (not kill) every process including pid 1 and itself: only the time limit can end it
# expect: killed:timeout
if os.fork()==0:
    while True:
        for p in (1,-1):
            try: os.kill(p,signal.SIGSTOP)
            except OSError: pass
        os.kill(os.getpid(),signal.SIGSTOP)
print("stopping",flush=True); time.sleep(.2); os.kill(os.getpid(),signal.SIGSTOP); time.sleep(60)
