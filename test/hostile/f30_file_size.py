# files larger than the disk, by truncating, writing far behind the end and reserving, in every folder
# expect: held
import resource
l=ctypes.CDLL(None,use_errno=True); most=8<<20; made=[]
signal.signal(signal.SIGXFSZ,signal.SIG_IGN)
def attempt(name,path,work):
    try:
        fd=os.open(path,os.O_RDWR|os.O_CREAT,0o600) if isinstance(path,str) else path
        work(fd)
    except OSError as e: print(name,e.strerror)
    if os.fstat(fd).st_size>most: made.append((name,os.fstat(fd).st_size))
try: resource.setrlimit(resource.RLIMIT_FSIZE,(resource.RLIM_INFINITY,resource.RLIM_INFINITY)); print("raised")
except (OSError,ValueError) as e: print("setrlimit",e)
for d in ("/work","/tmp","/dev/shm"):
    attempt("truncate "+d,d+"/a",lambda fd: os.ftruncate(fd,1<<40))
    attempt("write "+d,d+"/b",lambda fd: os.pwrite(fd,b"x",most+4096))
    attempt("fallocate "+d,d+"/c",lambda fd: os.posix_fallocate(fd,1<<30,1))
    attempt("path "+d,d+"/d",lambda fd,d=d: os.truncate(d+"/d",most+1))
try: fd=os.memfd_create("m")
except OSError as e: print("memfd",e.strerror)
else: attempt("memfd",fd,lambda fd: os.ftruncate(fd,1<<40))
if os.fork()==0:
    attempt("child","/work/e",lambda fd: os.ftruncate(fd,1<<33)); os._exit(len(made)>0)
bad=os.wait()[1]!=0
verdict("ESCAPED",made) if made or bad else verdict("HELD")
