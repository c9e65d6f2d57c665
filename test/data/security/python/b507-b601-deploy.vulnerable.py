import paramiko


def deploy(host, release):
    client = paramiko.SSHClient()
    client.set_missing_host_key_policy(paramiko.AutoAddPolicy)
    client.connect(host)
    _, out, _ = client.exec_command("deploy " + release)
    return out.read()
