import requests
import subprocess


def status(base):
    return (
        requests.get(
            base + "/status",
            timeout=2,
            verify=False,
        )
        .json()
        .get("state")
    )


def lines(command):
    return (
        subprocess.Popen(
            command,
            shell=True,
            stdout=subprocess.PIPE,
        )
        .communicate()[0]
        .splitlines()
    )
