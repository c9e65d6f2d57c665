"""Amounts in cents, so that nothing is lost to rounding twice."""


def parse(text):
    """The cents of an amount such as "12.50"."""
    whole, _, fraction = text.strip().partition(".")
    if len(fraction) > 2:
        raise ValueError(f"{text!r} has more than two decimals")
    return int(whole) * 100 + int(fraction.ljust(2, "0"))


def show(cents):
    sign = "-" if cents < 0 else ""
    return f"{sign}{abs(cents) // 100}.{abs(cents) % 100:02d}"
