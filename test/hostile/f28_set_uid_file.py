# a set-uid copy of a shell in every writable folder, and user namespaces of its own making
# expect: held
import shutil, subprocess
bad=[]
for d in (".","/tmp","/dev/shm","/run","/var/tmp"):
    p=d+"/suid-id"
    try: shutil.copy("/usr/bin/id",p); os.chmod(p,0o6755)
    except OSError: continue
    try: o=subprocess.run([p,"-u"],capture_output=True,text=True,timeout=5).stdout.strip()
    except OSError: continue
    if o in ("0",""): bad.append((d,o)) if o=="0" else None
    try: os.chown(p,0,0); bad.append("chown "+d)
    except OSError: pass
    try: os.setxattr(p,"security.capability",bytes.fromhex("0100000200200000000000000000000000000000")); bad.append("setcap "+d)
    except OSError: pass
verdict("ESCAPED",bad) if bad else verdict("HELD",os.getuid())
