# write megabytes into the pipe of the job, and hand file descriptors over it
# expect: held | crash
import array
sent=0
for fd in (0,1,2):
    try:
        s=socket.socket(fileno=os.dup(fd)); s.setblocking(False)
        for _ in range(16):
            try: s.sendmsg([b"x"],[(socket.SOL_SOCKET,socket.SCM_RIGHTS,array.array("i",[os.open("/dev/zero",0),os.open(".",0)]))],socket.MSG_DONTWAIT|socket.MSG_NOSIGNAL); sent+=1
            except OSError: break
        s.detach()
    except OSError: pass
end=time.time()+1; os.set_blocking(0,False); n=0
while time.time()<end and n<(64<<20):
    try: n+=os.write(0,b"8"*65536)
    except BlockingIOError: time.sleep(.01)
    except OSError: break
try: socket.socket(fileno=os.dup(0)).shutdown(socket.SHUT_RDWR)
except OSError: pass
print(); verdict("HELD",n,"bytes into stdin,",sent,"messages with descriptors")
