# empty files in /tmp and /dev/shm for ever (self-bounded at 400,000)
# expect: limited | killed
n=0
for d in ("/tmp","/dev/shm"):
    try:
        for i in range(200000): os.close(os.open(f"{d}/i{i}",os.O_CREAT|os.O_WRONLY)); n+=1
    except OSError as e: print(d,e.strerror)
verdict("ESCAPED" if n>=400000 else "LIMITED",n)
