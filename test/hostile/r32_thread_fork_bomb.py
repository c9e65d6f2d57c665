# threads that fork, children that start threads, for ten seconds
# expect: killed | limited | crash
import threading
end=time.time()+10
def f():
    while time.time()<end:
        try:
            if os.fork()==0: f()
        except OSError: pass
        try: threading.Thread(target=f,daemon=True).start()
        except RuntimeError: pass
print("start",flush=True); f(); os._exit(1)
