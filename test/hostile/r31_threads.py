# threads for ever (self-bounded at 20,000): they count as processes do
# expect: limited | killed
import threading
n=0; hold=threading.Event(); threading.stack_size(65536)
try:
    while n<20000: threading.Thread(target=hold.wait,daemon=True).start(); n+=1
    verdict("ESCAPED",n)
except (RuntimeError,MemoryError) as e: verdict("LIMITED",n,e)
os._exit(0)
