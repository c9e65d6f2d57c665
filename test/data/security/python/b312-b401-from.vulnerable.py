from telnetlib import Telnet


class Switch:
    def __init__(self, host):
        self.line = Telnet(host)

    def ask(self, text):
        self.line.write(text)
        return self.line.read_some()
