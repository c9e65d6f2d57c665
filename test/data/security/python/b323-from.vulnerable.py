from ssl import _create_unverified_context as loose


class Transport:
    def __init__(self, host):
        self.host = host
        self.context = loose(
            cafile=None,
        )
