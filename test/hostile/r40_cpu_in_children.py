# use up CPU time in many short-lived children, each far below any limit of its own
# expect: killed:cpu
end=time.time()+30
while time.time()<end:
    for _ in range(2):
        if os.fork()==0:
            e=time.process_time()+.15
            while time.process_time()<e: pass
            os._exit(0)
    for _ in range(2): os.wait()
verdict("ESCAPED",os.times())
