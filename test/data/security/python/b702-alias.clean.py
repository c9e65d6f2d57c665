from html import escape


class Views:
    def __init__(self, folder):
        self.folder = folder

    def view(self, name):
        return escape(name)
