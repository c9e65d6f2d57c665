# exit 0 at once and leave children that flood the output
# expect: ok | killed:output
verdict("OK")
for _ in range(4):
    if os.fork()==0:
        os.setsid(); signal.signal(signal.SIGPIPE,signal.SIG_IGN); end=time.time()+20
        while time.time()<end:
            try: os.write(1,b"B"*65536); os.write(2,b"C"*65536)
            except OSError: time.sleep(.01)
        os._exit(0)
os._exit(0)
