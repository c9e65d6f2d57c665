import telnetlib


def reboot(host, user, secret):
    session = telnetlib.Telnet(host, 23, 10)
    session.read_until(b"login: ")
    session.write(user.encode() + b"\n")
    session.write(secret.encode() + b"\n")
    session.write(b"reboot\n")
    return session.read_all()
