# memory in processes and in temporary files together exceeds the limit, each alone does not
# expect: limited | killed:memory | crash
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
