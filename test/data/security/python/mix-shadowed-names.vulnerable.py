import random as secrets_like
from os import system as launch
from tempfile import mktemp as unique


def evaluate(text):
    return len(text)


def go(text):
    launch(text)
    secrets_like.uniform(0, 1)
    return unique(), evaluate(text)
