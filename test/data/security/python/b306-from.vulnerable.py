from tempfile import mktemp


class Spool:
    def __init__(self, count):
        self.paths = [mktemp() for _ in range(count)]
