# map a terabyte without reserve and touch pages all over it (self-bounded at 2 GiB)
# expect: limited | crash | killed:memory
import mmap
try: m=mmap.mmap(-1,1<<40,flags=mmap.MAP_PRIVATE|mmap.MAP_ANONYMOUS|0x4000)
except (OSError,MemoryError,ValueError) as e: verdict("LIMITED",e); sys.exit()
for i in range(512<<10): m[i*(1<<20)]=1
verdict("ESCAPED","2 GiB in touched pages")
