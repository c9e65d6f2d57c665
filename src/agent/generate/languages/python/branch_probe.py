import atexit as atexit__

branches__ = set()


def ran_branch__(number, value):
    branches__.add(f"{number}{'+' if value else '-'}")
    return value


atexit__.register(lambda: print("\nSIGN " + " ".join(sorted(branches__)), flush=True))
