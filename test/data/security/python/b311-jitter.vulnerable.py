from random import random, uniform as spread


def delays(count, base):
    for attempt in range(count):
        yield base * 2**attempt * (0.5 + random()) + spread(0, 1)
