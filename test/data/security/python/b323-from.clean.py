from ssl import create_default_context


class Transport:
    def __init__(self, host):
        self.host = host
        self.context = create_default_context()
