# processes left behind that keep swapping a file for a link to a host file while artifacts are collected
# expect: ok
open("good","w").write("plain")
for _ in range(3):
    if os.fork()==0:
        os.setsid(); end=time.time()+20
        while time.time()<end:
            try: os.unlink("report.xml")
            except OSError: pass
            try: os.symlink(P["canary"],"report.xml")
            except OSError: pass
            try: os.unlink("report.xml"); os.link("good","report.xml"); os.rename("report.xml","dir-or-file")
            except OSError: pass
        os._exit(0)
time.sleep(.3); verdict("OK","left racing"); os._exit(0)
