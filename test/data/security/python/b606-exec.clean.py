def restart(supervisor):
    supervisor.restart()


def spawn(supervisor, path, arguments):
    return supervisor.start(path, arguments)
