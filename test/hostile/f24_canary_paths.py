# read the host canary through every door: /proc/PID/root, cwd and fd of all processes, chains of .., openat2, chroot
# expect: held
import os, sys, json, errno, time, ctypes, socket, signal
if os.environ.get("HOSTILE_OK") != "1": sys.exit("refusing: run me only inside a sandbox driver (HOSTILE_OK=1)")
P = json.loads(os.environ.get("HOSTILE_PARAMS", "{}"))
def verdict(v, *why):
    print("VERDICT:", v, *why, flush=True)
def syscall(nr, *a):
    l = ctypes.CDLL(None, use_errno=True); r = l.syscall(nr, *a); return r, errno.errorcode.get(ctypes.get_errno(), ctypes.get_errno())
X64 = os.uname().machine == "x86_64"
bad=[]; want=P["canary"]
def attempt(path):
    try:
        if "canary" in open(path,errors="replace").read(4096).lower(): bad.append(path)
    except (OSError,ValueError): pass
attempt(want); attempt("../"*60+want.lstrip("/"))
for p in [x for x in os.listdir("/proc") if x.isdigit()]:
    for door in ("root","cwd"): attempt(f"/proc/{p}/{door}{want}"); attempt(f"/proc/{p}/{door}/"+"../"*60+want.lstrip("/"))
    try: fds=os.listdir(f"/proc/{p}/fd")
    except OSError: fds=[]
    for fd in fds: attempt(f"/proc/{p}/fd/{fd}/"+"../"*60+want.lstrip("/")); attempt(f"/proc/{p}/fd/{fd}{want}")
os.makedirs("jail",exist_ok=True)
try:
    up=os.open(".",os.O_RDONLY); os.chroot("jail"); os.fchdir(up)
    for _ in range(60): os.chdir("..")
    os.chroot("."); attempt(want); bad.append("chroot")
except OSError: pass
for d in ("/host","/mnt","/media","/rootfs","/hostfs","/.pivot","/oldroot","/newroot"): attempt(d+want)
verdict("ESCAPED",bad[:3]) if bad else verdict("HELD")
