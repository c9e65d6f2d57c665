from tempfile import mkstemp


class Spool:
    def __init__(self, count):
        self.files = [mkstemp() for _ in range(count)]
