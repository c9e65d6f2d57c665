import jinja2
from jinja2 import Environment, FileSystemLoader, select_autoescape


def page(folder, name, values):
    loader = FileSystemLoader(folder)
    environment = Environment(loader=loader, autoescape=select_autoescape())
    plain = jinja2.Environment(autoescape=True, loader=loader)
    return environment.get_template(name).render(values), plain
