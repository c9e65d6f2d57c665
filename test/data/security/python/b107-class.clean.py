class Vault:
    def open(self, path, passphrase=None):
        return self.backend.open(path, passphrase or self.ask())

    def share(self, path, token: str):
        return self.backend.share(path, token)
