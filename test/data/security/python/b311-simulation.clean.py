import secrets


class Dice:
    def roll(self, sides):
        return secrets.randbelow(sides) + 1
