import webbrowser


def launch(document):
    return webbrowser.open(document)
