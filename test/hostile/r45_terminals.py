# open pseudo terminals for ever: the host's share must be left
# expect: limited | ok
import pty
n=0; keep=[]
try:
    while n<4000: keep.append(pty.openpty()); n+=1
except OSError as e: print(e.strerror)
verdict("LIMITED" if n<4000 else "ESCAPED",n)
