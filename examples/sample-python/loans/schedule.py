"""What is paid back when."""

from loans import money


def instalments(cents, months):
    """Splits an amount into monthly parts that add up to it; the first carry the odd cents."""
    if months < 1:
        raise ValueError("a loan runs for at least one month")
    part, odd = divmod(cents, months)
    return [part + 1 if month < odd else part for month in range(months)]


def describe(cents, months):
    parts = instalments(cents, months)
    if months == 1:
        return f"{money.show(parts[0])} at once"
    if parts[0] == parts[-1]:
        return f"{months} times {money.show(parts[0])}"
    return f"{months} times, {money.show(parts[0])} at first"
