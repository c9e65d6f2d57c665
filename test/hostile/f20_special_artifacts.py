# leave a fifo, sockets, link loops, hard links to links, unreadable and set-uid files, names with escapes and bytes that are no UTF-8
# expect: ok
import stat
open("plain.txt","w").write("plain")
os.mkfifo("fifo"); os.mkfifo("fifo.txt")
s=socket.socket(socket.AF_UNIX); s.bind("sock"); s.listen()
os.symlink("loop-b","loop-a"); os.symlink("loop-a","loop-b"); os.symlink(".","self"); os.symlink("..","up")
os.symlink(P["canary"],"to-canary"); os.symlink(P["canaryDir"],"to-dir"); os.symlink("/proc/self/environ","to-env"); os.symlink("/dev/zero","to-zero")
try: os.link("to-canary","hard-to-link",follow_symlinks=False)
except OSError as e: print(e.strerror)
for source in ("/etc/passwd",P["canary"],"/proc/1/environ"):
    try: os.link(source,"hard-"+str(abs(hash(source))))
    except OSError as e: print(e.strerror)
open("suid","w").write("#!/bin/sh\nid\n"); os.chmod("suid",0o6777)
open("unreadable","w").write("x"); os.chmod("unreadable",0)
os.mkdir("closed"); open("closed/in","w").write("x"); os.chmod("closed",0)
for name in (b"\x1b]0;title\x07",b"new\nline",b"\xff\xfe\xfd",b"-rf",b"..hidden",b"a"*255,b"C:\\x",b" "):
    open(name,"w").write("odd")
verdict("OK","planted")
