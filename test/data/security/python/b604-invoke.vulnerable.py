def build(context, target):
    context.run("make " + target, shell=True)
    return context


class Task:
    def execute(self, runner, line):
        return runner.start(
            line,
            shell="/bin/bash",
        )
