# a process that forks and dies all the time, so that no list of processes is ever right
# expect: killed:timeout
if os.fork()==0:
    os.setsid(); end=time.time()+30
    while time.time()<end:
        try:
            if os.fork(): os._exit(0)
        except OSError: pass
    os._exit(0)
print("walking",flush=True); time.sleep(60)
