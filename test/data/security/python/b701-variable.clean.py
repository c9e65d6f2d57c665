from jinja2 import Environment as Env


class Mailer:
    def __init__(self, loader):
        self.env = Env(
            loader=loader,
            autoescape=True,
        )
