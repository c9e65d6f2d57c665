import requests as http


class Hook:
    def __init__(self, url, bundle):
        self.url = url
        self.bundle = bundle

    def send(self, payload):
        return http.post(
            self.url,
            json=payload,
            timeout=5,
            verify=self.bundle,
        )
