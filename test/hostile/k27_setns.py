# enter other namespaces through /proc/PID/ns and pid descriptors
# expect: held
nr=308 if X64 else 268; bad=[]
for p in ["1","self",str(os.getppid())]:
    for n in ("user","mnt","net","pid","ipc","uts","cgroup","time"):
        try: fd=os.open(f"/proc/{p}/ns/{n}",os.O_RDONLY)
        except OSError: continue
        if syscall(nr,fd,0)[0]==0: bad.append((p,n))
r,_=syscall(434,1,0)
if r>=0 and syscall(nr,r,ctypes.c_int(0x7e020000))[0]==0: bad.append("pidfd")
verdict("ESCAPED",bad) if bad else verdict("HELD")
