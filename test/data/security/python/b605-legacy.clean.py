import shutil


def legacy(source, target):
    return shutil.copy(source, target)
