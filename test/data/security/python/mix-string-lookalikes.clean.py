"""Mentions eval(x), pickle.loads(y) and os.system(z) only in text."""

HELP = """
subprocess.call("ls", shell=True)
"""


def help_text():
    # exec(code) is never called
    return HELP + "eval(1)"
