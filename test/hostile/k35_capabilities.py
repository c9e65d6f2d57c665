# raise capabilities: capset, ambient and bounding sets, securebits, taking no_new_privs back
# expect: held
import struct
bad=[]; l=ctypes.CDLL(None,use_errno=True)
for v in (0x20080522,0x20071026,0x19980330):
    h=struct.pack("Ii",v,0); d=struct.pack("IIIIII",*[0xffffffff]*6)
    if syscall(126 if X64 else 91,h,d)[0]==0: bad.append("capset")
for c in range(0,41):
    if l.prctl(47,2,c,0,0)==0: bad.append(("ambient",c))
if l.prctl(28,0x2f,0,0,0)==0: bad.append("securebits")
l.prctl(38,0,0,0,0)
s=open("/proc/self/status").read()
if "NoNewPrivs:\t1" not in s: bad.append("no_new_privs")
if "Seccomp:\t2" not in s: bad.append("no filter")
for n in ("CapInh","CapPrm","CapEff","CapBnd","CapAmb"):
    v=[x for x in s.splitlines() if x.startswith(n)][0].split()[1]
    if int(v,16): bad.append(n+"="+v)
for i in (0,):
    for f in (os.setuid,os.setgid,os.seteuid,os.setegid):
        try: f(i); bad.append(f.__name__)
        except OSError: pass
try: os.setgroups([0]); bad.append("setgroups")
except OSError: pass
verdict("ESCAPED",bad[:6]) if bad else verdict("HELD")
