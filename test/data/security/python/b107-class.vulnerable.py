class Vault:
    def open(self, path, passphrase="fakephrase"):
        return self.backend.open(path, passphrase)

    def share(
        self,
        path,
        token: str = "t0",
    ):
        return self.backend.share(path, token)
