# 100,000 children that nobody waits for
# expect: limited | killed
n=0; end=time.time()+15
try:
    while n<100000 and time.time()<end:
        if os.fork()==0: os._exit(0)
        n+=1
    verdict("ESCAPED",n,"zombies")
except OSError as e: verdict("LIMITED",n,e.strerror)
