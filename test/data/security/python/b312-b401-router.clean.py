import fabric


def reboot(host, user):
    with fabric.Connection(host, user=user) as session:
        return session.run("reboot")
