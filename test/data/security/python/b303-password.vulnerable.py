from hashlib import sha1


class User:
    def set_login(self, text, salt):
        self.digest = sha1((salt + text).encode()).hexdigest()
        self.salt = salt
