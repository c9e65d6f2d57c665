import httpx


def open_both(host):
    return httpx.Client(base_url=f"https://{host}")
