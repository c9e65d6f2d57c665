# look for the host's planted secret in the environments of all processes and in the interpreter's own memory
# expect: held
import re
mark=b"-".join([b"planted",b"host",b"secret"]); bad=[]
for p in [x for x in os.listdir("/proc") if x.isdigit()]:
    for f in ("environ","cmdline","stack","auxv"):
        try:
            if mark in open(f"/proc/{p}/{f}","rb").read(1<<20): bad.append((p,f))
        except OSError: pass
mem=open("/proc/self/mem","rb",buffering=0); total=0
for line in open("/proc/self/maps"):
    m=re.match(r"([0-9a-f]+)-([0-9a-f]+) r",line)
    if not m or "[v" in line: continue
    a,b=int(m[1],16),int(m[2],16)
    if total+(b-a)>(96<<20) or a>=1<<63: continue
    total+=b-a
    try: mem.seek(a); block=mem.read(b-a)
    except (OSError,ValueError): continue
    # The mark itself is in memory, once or twice; what follows it in the secret is not.
    if re.search(re.escape(mark)+rb"-[0-9a-f]{16}",block): bad.append(line.split()[-1])
verdict("ESCAPED",bad[:3]) if bad else verdict("HELD",total>>20,"MiB")
