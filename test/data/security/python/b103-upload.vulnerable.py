import os


def store(upload, folder):
    target = os.path.join(folder, upload.name)
    with open(target, "wb") as handle:
        handle.write(upload.read())
    os.chmod(target, 0o777)
    return target
