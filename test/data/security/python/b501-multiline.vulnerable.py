import requests as http


class Hook:
    def __init__(self, url):
        self.url = url

    def send(self, payload):
        return http.post(
            self.url,
            json=payload,
            timeout=5,
            verify=False,
        )
