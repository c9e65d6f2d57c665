from urllib.request import FancyURLopener, urlopen


class Agent(FancyURLopener):
    version = "agent/1"


def fetch(address):
    page = urlopen(
        address,
        timeout=3,
    ).read()
    return page, FancyURLopener().open(address)
