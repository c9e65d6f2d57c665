# exit while a child that left the session keeps the output pipes open and silent: the run must end at once
# expect: ok
if os.fork()==0:
    os.setsid()
    if os.fork()==0:
        for s in range(1,32):
            try: signal.signal(s,signal.SIG_IGN)
            except (OSError,ValueError): pass
        time.sleep(60)
    os._exit(0)
time.sleep(.1); verdict("OK"); os._exit(0)
