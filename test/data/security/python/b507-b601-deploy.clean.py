import fabric


def deploy(host, release):
    with fabric.Connection(host) as connection:
        return connection.put(release, remote="releases/")
