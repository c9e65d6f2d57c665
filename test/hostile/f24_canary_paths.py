# read the host canary through every door: /proc/PID/root, cwd and fd of all processes, chains of .., openat2, chroot
# expect: held
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
