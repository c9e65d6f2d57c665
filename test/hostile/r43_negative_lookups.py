# ask for millions of names that do not exist: the kernel remembers each
# expect: ok | killed
end=time.time()+3; n=0
while time.time()<end:
    try: os.stat(f"/tmp/{n}-"+"n"*200)
    except OSError: pass
    n+=1
verdict("OK",n)
