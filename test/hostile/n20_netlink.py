# change addresses, routes, links and packet filters over netlink, listen to kernel events
# expect: held
import struct
bad=[]; notes=[]
def ask(proto,typ,body,flags=0x605):
    try: s=socket.socket(16,3,proto)
    except OSError as e: notes.append((proto,e.strerror)); return
    try:
        s.settimeout(.3); s.bind((0,0))
        s.send(struct.pack("IHHII",16+len(body),typ,flags,1,0)+body)
        d=s.recv(8192); t=struct.unpack_from("H",d,4)[0]
        if t==2 and struct.unpack_from("i",d,16)[0]==0: bad.append((proto,typ))
    except OSError as e: notes.append((proto,typ,e.strerror))
    finally: s.close()
def attr(t,v): return struct.pack("HH",4+len(v),t)+v+b"\0"*((-len(v))%4)
ask(0,20,struct.pack("BBBBI",2,24,0,0,1)+attr(2,b"\x0a\x09\x08\x07")+attr(1,b"\x0a\x09\x08\x07"))
ask(0,24,struct.pack("BBBBBBBBI",2,0,0,0,254,3,0,1,0)+attr(4,struct.pack("I",1)))
ask(0,16,struct.pack("BxHiII",0,0,0,1,1)+attr(3,b"evil0\0")+attr(18,attr(1,b"dummy")))
ask(0,16,struct.pack("BxHiII",0,0,1,0,1),0x5)
ask(12,(10<<8)|0,struct.pack("BBH",2,0,0)+attr(1,b"evil\0"))
ask(6,0x10,bytes(168)); ask(9,1000,bytes(40)); ask(11,3,bytes(20)); ask(16,16,bytes(4))
for proto,group in ((15,1),(11,1),(9,1),(16,1)):
    try: s=socket.socket(16,3,proto); s.bind((0,group)); s.settimeout(.2); d=s.recv(4096); bad.append(("heard",proto))
    except OSError as e: notes.append((proto,e.strerror))
verdict("ESCAPED",bad) if bad else verdict("HELD",notes[:6])
