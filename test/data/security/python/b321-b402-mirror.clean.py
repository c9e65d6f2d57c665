import httpx


def mirror(base, names):
    for name in names:
        with open(name, "wb") as handle:
            handle.write(httpx.get(base + name, timeout=9).content)
