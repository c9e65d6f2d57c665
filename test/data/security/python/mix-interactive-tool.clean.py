class Tool:
    def __init__(self, commands):
        self.commands = commands

    def loop(self, lines):
        for line in lines:
            command = self.commands.get(line)
            if command is None:
                print("unknown:", line)
            else:
                command()
