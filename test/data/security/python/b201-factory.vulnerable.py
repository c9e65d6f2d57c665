from flask import Flask as Web


class Server:
    def __init__(self):
        self.web = Web("x")

    def start(self):
        self.web.run(port=80, debug=True, threaded=True)
