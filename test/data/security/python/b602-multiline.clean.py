class Grep:
    def search(self, pattern, path):
        with open(path) as handle:
            return [line for line in handle if pattern in line]
