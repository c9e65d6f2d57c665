# end, but hang in exit hooks and threads that never end
# expect: killed:timeout
import atexit, threading
def hang():
    while True:
        try: time.sleep(60)
        except BaseException: pass
atexit.register(hang); threading.Thread(target=hang).start()
print("ending",flush=True); sys.exit(0)
