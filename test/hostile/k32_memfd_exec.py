# a program that exists in memory alone (memfd + execve): the filter and no_new_privs must follow it
# expect: held
import shutil, subprocess
try: fd=os.memfd_create("x",0)
except OSError as e: verdict("HELD",e); sys.exit()
with open("/bin/sh","rb") as f: os.write(fd,f.read())
o=subprocess.run([f"/proc/self/fd/{fd}","-c","while read k v; do case $k in NoNewPrivs:|Seccomp:|CapEff:|CapBnd:) echo $k $v;; esac; done </proc/self/status; unset x; cat \"$1\" 2>&1","sh",P["canary"]],pass_fds=[fd],capture_output=True,text=True,timeout=5).stdout
held="NoNewPrivs: 1" in o and "Seccomp: 2" in o and "CapEff: 0000000000000000" in o and "canary" not in o.lower().replace(P["canary"].lower(),"")
verdict("HELD" if held else "ESCAPED",o.split("\n")[:5])
