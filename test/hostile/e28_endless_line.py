# one line of 200 MB without an end
# expect: killed:output | killed:timeout
for _ in range(200): os.write(1,b"x"*(1<<20))
verdict("ESCAPED","all of it was taken")
