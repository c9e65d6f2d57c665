import code
import os


class Tool:
    commands = {"quit": exit}

    def loop(self):
        while True:
            line = input("> ")
            if line.startswith("!"):
                os.system(line[1:])
            elif line.startswith("="):
                print(eval(line[1:]))
            else:
                exec(line)

    def shell(self):
        code.interact(local={"tool": self})
