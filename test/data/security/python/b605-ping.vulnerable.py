import os


def ping(host):
    status = os.system("ping -c 1 " + host)
    return status == 0


def listing(folder):
    with os.popen("/bin/ls %s" % folder) as pipe:
        return pipe.read()
