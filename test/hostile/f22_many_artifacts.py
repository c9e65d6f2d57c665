# 30,000 artifacts in a tree of folders
# expect: ok | limited | killed:memory | killed:disk
n=0
try:
    for d in range(300):
        os.makedirs(f"d{d}/e/f")
        for i in range(100): open(f"d{d}/e/f/{i}","w").write("x"); n+=1
    verdict("OK",n)
except OSError as e: verdict("LIMITED",n,e.strerror)
