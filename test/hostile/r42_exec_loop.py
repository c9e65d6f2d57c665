# a program that replaces itself for ever
# expect: killed:timeout
n=int(sys.argv[1]) if len(sys.argv)>1 and sys.argv[1].isdigit() else 0
if n<5000: os.execv("/bin/sh",["sh","-c",'exec "$0" "$@"',sys.executable,os.path.abspath(__file__),str(n+1)])
verdict("ESCAPED",n)
