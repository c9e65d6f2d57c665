import asyncssh


class Inventory:
    def __init__(self, hosts, log):
        self.hosts = hosts
        self.facts = {}
        self.log = log

    async def collect(self):
        for host in self.hosts:
            try:
                async with asyncssh.connect(host) as client:
                    self.facts[host] = (await client.run("uname -a")).stdout
            except OSError as error:
                self.log.warning("%s: %s", host, error)

    def sample(self):
        return self.hosts[0]
