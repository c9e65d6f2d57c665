# print what the start of a sandbox prints, and end reports, into every descriptor; then exit 7
# expect: exit:7
marks=[bytes.fromhex(m) for m in P.get("marks",[])]+[b'{ "exit-code": 0 }\n',b'{"child-pid": 1}\n',b"\0\0\0\0",b"READY\n",b"00000002{}"]
for m in marks: sys.stdout.buffer.write(m)
sys.stdout.flush()
for fd in list(range(0,64)):
    for m in marks:
        try: os.set_blocking(fd,False); os.write(fd,m)
        except OSError: pass
print("\nVERDICT: OK forged",flush=True); os._exit(7)
