from hashlib import scrypt


class User:
    def set_login(self, text, salt):
        self.digest = scrypt(text.encode(), salt=salt, n=2**14, r=8, p=1)
        self.salt = salt
