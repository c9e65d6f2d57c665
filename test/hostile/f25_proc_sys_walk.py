# open every file below /proc/sys, /sys and /proc/PID that changes the system for writing (writes nothing)
# expect: held
bad=[]; n=0; end=time.time()+8
# Of the network, user, process and IPC namespaces of the sandbox itself: harmless.
own=("/proc/sys/net/","/proc/sys/user/","/proc/sys/fs/mqueue/","/proc/sys/kernel/ns_last_pid","/proc/sys/kernel/pid_max","/proc/sys/kernel/msg","/proc/sys/kernel/shm","/proc/sys/kernel/sem","/proc/sys/kernel/auto_msgmni")
for top in ("/proc/sys","/proc/irq","/proc/bus","/proc/fs","/proc/acpi","/proc/scsi","/proc/driver","/sys"):
    for root,dirs,files in os.walk(top):
        if time.time()>end: break
        for f in files:
            p=os.path.join(root,f); n+=1
            if p.startswith(own): continue
            try: os.close(os.open(p,os.O_WRONLY|os.O_NONBLOCK)); bad.append(p)
            except OSError: pass
for p in ("/proc/sysrq-trigger","/proc/mtrr","/proc/timer_list","/proc/swaps","/proc/sched_debug","/proc/1/attr/exec","/proc/1/loginuid","/proc/1/uid_map","/proc/1/setgroups"):
    try: os.close(os.open(p,os.O_WRONLY|os.O_NONBLOCK)); bad.append(p)
    except OSError: pass
# What is hidden behind /dev/null may be written to.
import stat
bad=[b for b in bad if not b.startswith("/proc/1/") and not stat.S_ISCHR(os.stat(b).st_mode)]
verdict("ESCAPED",bad[:5]) if bad else verdict("HELD",n,"files")
