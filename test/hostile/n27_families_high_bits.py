# AF_VSOCK to the hypervisor and AF_ALG, also with high bits that the kernel drops after the filter looked
# expect: held
sock,pair=(41,53) if X64 else (198,199); bad=[]
for n,f,t in (("vsock",40,1),("vsock dgram",40,2),("alg",38,5),("packet",17,3),("xdp",44,3),("kcm",41,2),("smc",43,1),("rds",21,5),("pppox",24,1),("ax25",3,5),("bluetooth",31,3),("nfc",39,3),("qipcrtr",42,2),("tipc",30,5),("mctp",45,2),("can",29,3),("ib",27,1),("rxrpc",33,2),("phonet",35,2),("ieee802154",36,2),("caif",37,5),("llc",26,2),("x25",9,5),("netrom",6,5),("appletalk",5,2),("key",15,3)):
    for high in (0,1<<32,1<<63):
        r,e=syscall(sock,ctypes.c_ulong(f|high),ctypes.c_ulong(t),ctypes.c_ulong(2 if n=="key" else 0))
        if r>=0: bad.append((n,hex(high))); os.close(r)
verdict("ESCAPED",bad) if bad else verdict("HELD")
