import os
import subprocess
import webbrowser


def launch(document, viewer=None):
    if viewer:
        return subprocess.Popen([viewer, document])
    if document.startswith("http"):
        return webbrowser.open(document)
    if os.name == "nt":
        os.startfile(document)
        return None
    return subprocess.call(("xdg-open", document))
