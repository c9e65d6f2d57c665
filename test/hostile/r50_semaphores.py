# sets of semaphores: memory that belongs to no process
# expect: limited | killed:memory | crash
def done(held):
    time.sleep(.3)
    verdict("ESCAPED" if held>(400<<20) else "LIMITED",held>>20,"MiB")
l=ctypes.CDLL(None,use_errno=True); n=0
while n*8*32000<(1200<<20):
    if l.semget(0,32000,0o600)<0: break
    n+=1
done(n*8*32000)
