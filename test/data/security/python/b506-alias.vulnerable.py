import yaml
import yaml as y


class Pipeline:
    def __init__(self, text):
        self.steps = yaml.load(
            text,
            Loader=yaml.FullLoader,
        )
        self.copy = y.load(text)
