import shutil


def archive(folder, name):
    return shutil.make_archive(name, "zip", folder)
