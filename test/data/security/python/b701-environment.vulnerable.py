import jinja2
from jinja2 import Environment, FileSystemLoader


def page(folder, name, values):
    loader = FileSystemLoader(folder)
    environment = Environment(loader=loader)
    plain = jinja2.Environment(autoescape=False, loader=loader)
    return environment.get_template(name).render(values), plain
