from mako import template


class Views:
    def __init__(self, folder):
        self.folder = folder

    def view(self, name):
        return template.Template(
            filename=f"{self.folder}/{name}",
        )
