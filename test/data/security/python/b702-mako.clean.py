from string import Template


def page(text, name):
    return Template(text).substitute(name=name)
