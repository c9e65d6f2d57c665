import subprocess as sp


def uptime():
    first = sp.check_output("/usr/bin/uptime | /usr/bin/cut -c1-10", shell=True)
    second = sp.run("/bin/date", shell=1, check=True)
    third = sp.check_call(["/bin/date"], shell=[1])
    return first, second, third
