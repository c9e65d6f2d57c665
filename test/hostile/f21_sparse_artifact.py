# a sparse file of 4 GB, and one of 1 TB, as artifacts
# expect: ok | limited | killed:disk
made=[]
for name,size in (("four.bin",4<<30),("tera.bin",1<<40)):
    try:
        with open(name,"wb") as f: f.truncate(size)
        made.append(name)
    except OSError as e: print(name,e.strerror)
open("plain.txt","w").write("plain")
verdict("OK" if made else "LIMITED",made)
