import random as rnd


class Dice:
    def roll(self, sides):
        return rnd.randrange(sides) + 1

    def weight(self):
        return rnd.triangular(1, 3)
