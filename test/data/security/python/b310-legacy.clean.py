import httpx


def modern(url, data):
    return httpx.post(url, data=data, timeout=5)
