import shutil


def backup(source, target):
    return shutil.copytree(source, target)
