import sys


def ask_name():
    sys.stdout.write("name: ")
    return sys.stdin.readline().strip()
