# recursion without end, in Python and in C
# expect: crash | limited | killed
sys.setrecursionlimit(2**31-1)
import functools, threading
f=None
for _ in range(500000): f=[f]
try: repr(f)
except RecursionError: pass
def g(n): return g(n+1)
try: g(0)
except (RecursionError,MemoryError) as e: verdict("LIMITED",type(e).__name__)
