from subprocess import Popen


def start(program, arguments, environment):
    return Popen([program, *arguments], env=environment)


def start_none(program):
    return Popen(program, shell=None)
