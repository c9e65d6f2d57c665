# guess file handles of the host's root folder (open_by_handle_at)
# expect: held
import os, sys, json, errno, time, ctypes, socket, signal
if os.environ.get("HOSTILE_OK") != "1": sys.exit("refusing: run me only inside a sandbox driver (HOSTILE_OK=1)")
P = json.loads(os.environ.get("HOSTILE_PARAMS", "{}"))
def verdict(v, *why):
    print("VERDICT:", v, *why, flush=True)
def syscall(nr, *a):
    l = ctypes.CDLL(None, use_errno=True); r = l.syscall(nr, *a); return r, errno.errorcode.get(ctypes.get_errno(), ctypes.get_errno())
X64 = os.uname().machine == "x86_64"
import struct
nr=(304 if X64 else 265); bad=[]; errors=set()
for at in (b"/",b"/usr",b"/etc",b"/work",b"/tmp"):
    try: d=os.open(at,os.O_RDONLY)
    except OSError: continue
    for inode in (2,128,1):
        h=struct.pack("IiQI",8,1,inode,0)+b"\0"*8
        r,e=syscall(nr,d,ctypes.c_char_p(h),0)
        if r>=0: bad.append((at.decode(),inode))
        else: errors.add(e)
verdict("ESCAPED",bad) if bad or not errors<={"EPERM","ENOSYS"} else verdict("HELD",errors)
