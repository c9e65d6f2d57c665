# a program that exists in memory alone (memfd + execve): the filter and no_new_privs must follow it
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
try: fd=os.memfd_create("x",0)
except OSError as e: verdict("HELD",e); sys.exit()
with open("/bin/sh","rb") as f: os.write(fd,f.read())
o=subprocess.run([f"/proc/self/fd/{fd}","-c","while read k v; do case $k in NoNewPrivs:|Seccomp:|CapEff:|CapBnd:) echo $k $v;; esac; done </proc/self/status; unset x; cat \"$1\" 2>&1","sh",P["canary"]],pass_fds=[fd],capture_output=True,text=True,timeout=5).stdout
held="NoNewPrivs: 1" in o and "Seccomp: 2" in o and "CapEff: 0000000000000000" in o and "canary" not in o.lower().replace(P["canary"].lower(),"")
verdict("HELD" if held else "ESCAPED",o.split("\n")[:5])
