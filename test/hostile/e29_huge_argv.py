# huge arguments and environments for its children
# expect: held | limited
import subprocess
refused=0
for n,size in ((1,200000),(100,130000),(100000,50)):
    try: subprocess.run(["/bin/true"]+["x"*size]*n,timeout=5); print("took",n,size)
    except OSError as e: refused+=1; print(e.strerror)
    try: subprocess.run(["/bin/true"],env={f"K{i}":"x"*size for i in range(n)},timeout=5)
    except OSError as e: refused+=1
verdict("LIMITED",refused)
