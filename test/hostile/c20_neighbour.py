# control: a sandbox with secrets everywhere, running beside others
# expect: ok
mark="NEIGHBOUR-"+"SECRET"
for p in ("secret.txt","/tmp/secret.txt","/dev/shm/secret.txt"):
    try: open(p,"w").write(mark)
    except OSError as e: print(p,e.strerror)
libc=ctypes.CDLL(None,use_errno=True); libc.shmget(0x54555454,4096,0o1666); libc.semget(0x54555454,1,0o1666)
a=socket.socket(socket.AF_UNIX); a.bind("\0neighbour"); a.listen()
t=socket.socket(); t.bind(("127.0.0.1",40404)); t.listen()
print("up",flush=True); time.sleep(3); verdict("OK")
