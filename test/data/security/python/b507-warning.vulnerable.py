from paramiko import SSHClient, WarningPolicy, RejectPolicy


class Shell:
    def __init__(self, host):
        self.client = SSHClient()
        self.client.load_system_host_keys()
        self.client.set_missing_host_key_policy(WarningPolicy)
        self.client.connect(host)
