# namespaces and sockets through the x32 and 32-bit interfaces (x32 numbers, int 0x80 socketcall and unshare)
# expect: held | crash
if not X64: verdict("HELD","n/a"); sys.exit()
import mmap, struct
bad=[]
def inChild(f):
    p=os.fork()
    if p==0:
        try: os._exit(0 if f() else 1)
        except BaseException: os._exit(2)
    return os.waitpid(p,0)[1]==0
l=ctypes.CDLL(None,use_errno=True)
for n,nr,a in (("unshare",272,(0x10000000,0)),("socket alg",41,(38,5,0)),("socket vsock",41,(40,1,0)),("keyctl",250,(0,-3)),("x32 ptrace",521,(0,0)),("getuid",102,())):
    if inChild(lambda: l.syscall(ctypes.c_long(0x40000000|nr),*[ctypes.c_long(x) for x in a])>=0): bad.append(("x32",n))
low=mmap.mmap(-1,8192,prot=7,flags=mmap.MAP_PRIVATE|mmap.MAP_ANONYMOUS|0x40)
base=ctypes.addressof(ctypes.c_char.from_buffer(low))
def int80(nr,ebx=0,ecx=0,edx=0):
    # push rbx; mov eax,nr; mov ebx,..; mov ecx,..; mov edx,..; int 0x80; pop rbx; ret
    code=b"\x53\xb8"+struct.pack("<I",nr)+b"\xbb"+struct.pack("<I",ebx)+b"\xb9"+struct.pack("<I",ecx)+b"\xba"+struct.pack("<I",edx)+b"\xcd\x80\x5b\xc3"
    ctypes.memmove(base,code,len(code)); return ctypes.CFUNCTYPE(ctypes.c_int)(base)()
for n,a in (("unshare",(310,0x10000000)),("getuid",(199,)),("add_key",(286,0,0,0)),("socket",(359,38,5,0))):
    if inChild(lambda: int80(*a)>=0): bad.append(("int80",n))
if base<2**32-8192:
    ctypes.memmove(base+4096,struct.pack("<III",38,5,0),12)
    if inChild(lambda: int80(102,1,base+4096)>=0): bad.append(("int80","socketcall"))
verdict("ESCAPED",bad) if bad else verdict("HELD")
