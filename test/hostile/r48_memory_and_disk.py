# memory in processes and in temporary files together exceeds the limit, each alone does not
# expect: limited | killed:memory | crash
import os, sys, json, errno, time, ctypes, socket, signal
if os.environ.get("HOSTILE_OK") != "1": sys.exit("refusing: run me only inside a sandbox driver (HOSTILE_OK=1)")
P = json.loads(os.environ.get("HOSTILE_PARAMS", "{}"))
def verdict(v, *why):
    print("VERDICT:", v, *why, flush=True)
def syscall(nr, *a):
    l = ctypes.CDLL(None, use_errno=True); r = l.syscall(nr, *a); return r, errno.errorcode.get(ctypes.get_errno(), ctypes.get_errno())
X64 = os.uname().machine == "x86_64"
keep=[]
for d in ("/tmp","/dev/shm","/work"):
    try:
        with open(d+"/half","wb",buffering=0) as f:
            for _ in range(48): f.write(b"x"*(1<<20))
    except OSError as e: print(d,e.strerror)
try:
    for _ in range(13): keep.append(bytearray(b"y")*(16<<20))
    verdict("ESCAPED","208 MiB in memory beside the files")
except MemoryError: verdict("LIMITED")
