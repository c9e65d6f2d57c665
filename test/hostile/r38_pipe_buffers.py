# fill pipes enlarged to a megabyte each (self-bounded at 1 GiB): kernel memory counts
# expect: limited | ok | killed:memory
import fcntl
n=0; keep=[]
try:
    for i in range(1024):
        r,w=os.pipe(); keep+=[r,w]; os.set_blocking(w,False)
        try: fcntl.fcntl(w,1031,1<<20)
        except OSError: pass
        try:
            while True: n+=os.write(w,b"x"*65536)
        except BlockingIOError: pass
except OSError as e: print(e.strerror)
verdict("ESCAPED" if n>=(512<<20) else "LIMITED",n>>20,"MiB in",len(keep)//2,"pipes")
