import yaml


def load_config(path):
    with open(path) as handle:
        return yaml.safe_load(handle)


def load_text(text):
    return yaml.load(text, Loader=yaml.SafeLoader)
