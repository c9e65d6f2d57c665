"""Mentions eval(x), pickle.loads(y) and os.system(z) only in text."""
import pickle

HELP = """
subprocess.call("ls", shell=True)
"""


def help_text():
    # exec(code) is never called
    return HELP + "eval(1)"


def load(handle):
    return pickle.Unpickler(handle)
