import os


def spool(text):
    path = os.tempnam("spool", "job")
    backup = os.tmpnam()
    with open(path, "w") as handle:
        handle.write(text)
    return path, backup
