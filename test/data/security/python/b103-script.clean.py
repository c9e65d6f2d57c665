import os
import stat


def install(script):
    os.chmod(script, 0o700)
    os.chmod(script + ".conf", stat.S_IRUSR | stat.S_IWUSR)
