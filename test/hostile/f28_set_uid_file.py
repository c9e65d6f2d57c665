# a set-uid copy of a shell in every writable folder, and user namespaces of its own making
# expect: held
import os, sys, json, errno, time, ctypes, socket, signal
if os.environ.get("HOSTILE_OK") != "1": sys.exit("refusing: run me only inside a sandbox driver (HOSTILE_OK=1)")
P = json.loads(os.environ.get("HOSTILE_PARAMS", "{}"))
def verdict(v, *why):
    print("VERDICT:", v, *why, flush=True)
def syscall(nr, *a):
    l = ctypes.CDLL(None, use_errno=True); r = l.syscall(nr, *a); return r, errno.errorcode.get(ctypes.get_errno(), ctypes.get_errno())
X64 = os.uname().machine == "x86_64"
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
