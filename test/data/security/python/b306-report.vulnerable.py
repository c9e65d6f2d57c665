import tempfile


def render(report):
    path = tempfile.mktemp(suffix=".html")
    with open(path, "w") as handle:
        handle.write(report)
    return path
