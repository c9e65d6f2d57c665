# calls that no program in a sandbox needs: io_uring, userfaultfd, bpf, perf, keyrings, modules, kexec, reboot, swap, clocks
# expect: held
calls={
    # io_uring, which does file and network work behind a system call filter.
    "io_uring_setup":(425,425,8,ctypes.create_string_buffer(256)),
    "io_uring_enter":(426,426,-1&(2**64-1),0,0,0,0,0),
    "io_uring_register":(427,427,-1&(2**64-1),0,0,0),
    # userfaultfd (also the flavour for unprivileged users), the helper of many kernel exploits.
    "userfaultfd":(323,282,0),
    "userfaultfd, user mode only":(323,282,1),
    "userfaultfd, both":(323,282,0o2000001),
    # bpf and perf_event_open.
    "bpf map":(321,280,0,ctypes.create_string_buffer(128),128),
    "bpf prog":(321,280,5,ctypes.create_string_buffer(128),128),
    "perf":(298,241,ctypes.create_string_buffer(bytes([1,0,0,0,112,0,0,0])+bytes(120)),0,2**64-1,2**64-1,0),
    # Kernel keyrings, which namespaces do not part.
    "add_key":(248,217,b"user",b"hostile",b"x",1,2**64-4),
    "request_key":(249,218,b"user",b"hostile",0,0),
    "keyctl":(250,219,0,2**64-3,0,0,0),
    # Kernel modules, kexec, reboot, swap, accounting, quotas, I/O ports.
    "init_module":(175,105,b"x",1,b""),
    "finit_module":(313,273,0,b"",0),
    "delete_module":(176,106,b"x",0),
    "kexec_load":(246,104,0,0,0,0),
    "kexec_file_load":(320,294,0,0,0,b"",0),
    "reboot (no magic)":(169,142,0,0,0,0),
    "swapon":(167,224,b"/work/x",0),
    "swapoff":(168,225,b"/work/x"),
    "acct":(163,89,b"/work/x"),
    "quotactl":(179,60,0,b"/dev/x",0,0),
    "iopl":(172,None,3),
    "ioperm":(173,None,0,8,1),
    "syslog":(103,116,3,ctypes.create_string_buffer(64),64),
    "vhangup":(153,58),
    "sethostname":(170,161,b"x",1),
    "setdomainname":(171,162,b"x",1),
    "fanotify_init":(300,262,0,0),
    "pivot_root":(155,41,b"/work",b"/work"),
    # Change the clock of the host.
    "settimeofday":(164,170,ctypes.create_string_buffer((1).to_bytes(8,"little")+bytes(8)),0),
    "clock_settime":(227,112,0,ctypes.create_string_buffer((1).to_bytes(8,"little")+bytes(8))),
}
bad=[]; seen=[]
for name,(x,arm,*args) in calls.items():
    nr=x if X64 else arm
    if nr is None: continue
    args=[ctypes.c_void_p(a) if isinstance(a,int) else a for a in args]
    r,e=syscall(nr,*args)
    seen.append((name,e))
    # Anything but a plain refusal means that the code behind the call was reached.
    if r>=0 or e not in ("EPERM","ENOSYS","EACCES"): bad.append((name,r,e))
for nr in ((159,305) if X64 else (171,266)):
    b=ctypes.create_string_buffer((0x4000).to_bytes(4,"little")+bytes(204))
    r,e=syscall(nr,*(([ctypes.c_int(0)] if nr in (305,266) else [])+[b]))
    if r>=0: bad.append(("adjtimex",r,e))
verdict("ESCAPED",bad) if bad else verdict("HELD",len(seen),"calls")
