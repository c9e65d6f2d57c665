from os import popen, system as sh


def clear():
    sh("clear")
    return popen(
        "/bin/df",
    ).read()
