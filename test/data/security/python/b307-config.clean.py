import ast


class Config:
    def __init__(self, text):
        self.values = {}
        for line in text.splitlines():
            key, value = line.split("=")
            self.values[key.strip()] = ast.literal_eval(value)
