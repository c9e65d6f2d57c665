import requests


def status(base):
    return (
        requests.get(
            base + "/status",
            timeout=2,
        )
        .json()
        .get("state")
    )
