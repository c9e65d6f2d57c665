import asyncssh


class Switch:
    def __init__(self, host):
        self.host = host

    async def ask(self, text):
        async with asyncssh.connect(self.host) as line:
            return (await line.run(text)).stdout
