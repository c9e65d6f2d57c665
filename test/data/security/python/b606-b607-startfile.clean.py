import webbrowser


def show(path):
    webbrowser.open(path)
