# fill /tmp, /dev/shm and every other writable folder (self-bounded at 1.5 GiB); memory allows it, disk limits must not
# expect: limited | killed
c=b"x"*(1<<20); n=0; where={}
for d in ("/tmp","/dev/shm","/work","/run","/var/tmp","/dev","/","/dev/mqueue","/run/lock","/home","/root"):
    k=0
    for i in range(1500-n):
        try:
            with open(f"{d}/fill{i}","wb",buffering=0) as f: w=f.write(c)
            if not w: break
            k+=1
        except OSError: break
    if k: where[d]=k; n+=k
verdict("ESCAPED" if n>=600 else "LIMITED",n,"MiB",where)
