import tarfile


def pack(paths, target):
    with tarfile.open(target, "w:gz") as archive:
        for path in paths:
            archive.add(path)
