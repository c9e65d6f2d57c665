# kill the parent and everything else from a child that left the session, then go on for a minute
# expect: held | crash | killed | ok
if os.fork()==0:
    os.setsid()
    for s in range(1,32):
        try: signal.signal(s,signal.SIG_IGN)
        except (OSError,ValueError): pass
    time.sleep(.2)
    for p in (os.getppid(),1,-1):
        for s in (signal.SIGTERM,signal.SIGKILL):
            try: os.kill(p,s)
            except OSError: pass
    end=time.time()+60
    while time.time()<end: time.sleep(.1)
    os._exit(0)
time.sleep(5); verdict("HELD","was not killed")
