import os
import subprocess


def pack():
    os.system("/bin/tar xvzf *")
    subprocess.Popen("/bin/chown root:root *", shell=True)
    subprocess.call(
        ["/bin/chmod", "600", "*"],
        shell=True,
    )
    os.popen2("/usr/bin/rsync /a/* b")
