# a child dies of the memory limit and the program pretends that all went well
# expect: killed:memory | limited
p=os.fork()
if p==0:
    x=[]
    while len(x)<128: x.append(bytearray(b"z")*(16<<20))
    os._exit(0)
s=os.waitpid(p,0)[1]
verdict("ESCAPED" if s==0 else "LIMITED",s); os._exit(0)
