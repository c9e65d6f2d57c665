from mako.template import Template
import mako.template


def page(text, name):
    first = Template(text).render(name=name)
    second = mako.template.Template("hello ${name}")
    return first, second
