# messages in System V queues that nobody reads
# expect: limited | killed:memory | crash
def done(held):
    time.sleep(.3)
    verdict("ESCAPED" if held>(400<<20) else "LIMITED",held>>20,"MiB")
l=ctypes.CDLL(None,use_errno=True); n=0; m=ctypes.create_string_buffer(b"\1\0\0\0\0\0\0\0"+b"x"*8192)
while n<(600<<20):
    q=l.msgget(0,0o600)
    if q<0: break
    while l.msgsnd(q,m,8192,0o4000)==0: n+=8192
done(n)
