import paramiko
import telnetlib
import random


class Inventory:
    def __init__(self, hosts):
        self.hosts = hosts
        self.facts = {}

    def connect(self, host):
        client = paramiko.SSHClient()
        client.set_missing_host_key_policy(paramiko.AutoAddPolicy)
        client.connect(host, username="root", password="toor")
        return client

    def collect(self):
        for host in self.hosts:
            try:
                client = self.connect(host)
                _, out, _ = client.exec_command("uname -a; df -h")
                self.facts[host] = out.read()
            except Exception:
                continue

    def old_router(self, host):
        with telnetlib.Telnet(host) as session:
            return session.read_all()

    def sample(self):
        return random.choice(self.hosts)
