import tempfile


def render(report):
    with tempfile.NamedTemporaryFile("w", suffix=".html", delete=False) as handle:
        handle.write(report)
    return handle.name
