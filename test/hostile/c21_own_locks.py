# control: locks on files of its own work
# expect: ok
import fcntl
own=open("own.lock","w+"); fcntl.flock(own,fcntl.LOCK_EX)
other=open("own.lock","w+")
try: fcntl.flock(other,fcntl.LOCK_EX|fcntl.LOCK_NB); print("not exclusive")
except BlockingIOError: pass
else: sys.exit(1)
fcntl.lockf(own,fcntl.LOCK_EX,10); time.sleep(1); fcntl.flock(own,fcntl.LOCK_UN)
verdict("OK")
