import httpx


def push(url, handle):
    return httpx.put(url, content=handle.read(), timeout=9)
