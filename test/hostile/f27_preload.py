# have others load our code: ld.so.preload, sitecustomize, .pth and .pyc files of the system, profile scripts
# expect: held
import sysconfig
bad=[]
places=["/etc/ld.so.preload","/etc/ld.so.cache","/etc/ld.so.conf","/etc/profile.d/x.sh","/etc/passwd","/etc/environment","/usr/lib/x86_64-linux-gnu/libc.so.6","/lib64/ld-linux-x86-64.so.2",sys.executable]
for d in set(p for p in sys.path if p and os.path.isdir(p) and not os.path.realpath(p).startswith(os.getcwd()))|{sysconfig.get_paths()["stdlib"]}:
    places+= [d+"/sitecustomize.py",d+"/evil.pth",d+"/__pycache__/os.evil.pyc",d+"/os.py"]
for p in places:
    flags=os.O_WRONLY if os.path.exists(p) else os.O_WRONLY|os.O_CREAT
    try: os.close(os.open(p,flags)); bad.append(p)
    except OSError: pass
for p in places:
    try: os.rename(p,p+".old"); bad.append("rename "+p)
    except OSError: pass
    try: os.chmod(p,0o777); bad.append("chmod "+p)
    except OSError: pass
verdict("ESCAPED",bad[:4]) if bad else verdict("HELD",len(places))
