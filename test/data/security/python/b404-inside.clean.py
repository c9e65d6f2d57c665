class Runner:
    def __init__(self, pipes):
        self.pipes = pipes
