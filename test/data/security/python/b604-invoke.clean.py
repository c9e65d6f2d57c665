def build(context, target):
    context.run(["make", target], shell=False)
    return context


class Task:
    def execute(self, runner, line):
        return runner.start(line)
