# credentials of the cloud: metadata services of all providers, by address and by name
# expect: held
bad=[]
for h,p in (("169.254.169.254",80),("169.254.170.2",80),("169.254.170.23",80),("100.100.100.200",80),("192.0.0.192",80),("168.63.129.16",80),("fd00:ec2::254",80),("metadata.google.internal",80),("kubernetes.default.svc",443),("10.96.0.1",443)):
    try: socket.create_connection((h,p),.5).close(); bad.append(h)
    except OSError: pass
for f in ("/var/run/secrets/kubernetes.io/serviceaccount/token","/run/secrets","/var/run/secrets/eks.amazonaws.com","/root/.docker/config.json","/etc/kubernetes"):
    try:
        if os.listdir(f) if os.path.isdir(f) else open(f).read(): bad.append(f)
    except OSError: pass
verdict("ESCAPED",bad) if bad else verdict("HELD")
