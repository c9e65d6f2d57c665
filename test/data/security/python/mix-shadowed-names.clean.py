import secrets as random


def evaluate(text):
    return len(text)


def go(items):
    return random.choice(items), evaluate("x")
