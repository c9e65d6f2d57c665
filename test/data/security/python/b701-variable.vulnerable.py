from jinja2 import Environment as Env


class Mailer:
    def __init__(self, loader, escape):
        self.env = Env(
            loader=loader,
            autoescape=escape,
        )
