import os
import stat


def install(script):
    os.chmod(script, 0o755)
    os.chmod(
        script + ".conf",
        0o666,
    )
    os.chmod(script, stat.S_IRWXU)
