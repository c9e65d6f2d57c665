from flask import Flask as Web


class Server:
    def __init__(self, settings):
        self.web = Web("x")
        self.settings = settings

    def start(self):
        self.web.run(port=80, debug=self.settings.debug, threaded=True)
