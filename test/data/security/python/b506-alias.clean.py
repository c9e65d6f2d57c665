import yaml


class Pipeline:
    def __init__(self, text):
        self.steps = yaml.load(
            text,
            Loader=yaml.CSafeLoader,
        )
