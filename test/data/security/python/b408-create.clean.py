from html import escape


def create(names):
    return "".join(f"<{escape(name)}/>" for name in names)
