import subprocess


def archive(folder, name):
    command = "zip -r {}.zip {}".format(name, folder)
    return subprocess.call(command, shell=True)
