# flood standard output and standard error from eight threads
# expect: killed:output | killed:timeout
import threading
def f(fd):
    while True: os.write(fd,b"\x1b[31m"*8192)
for i in range(8): threading.Thread(target=f,args=(1+i%2,)).start()
