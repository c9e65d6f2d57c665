def start(program, arguments, environment):
    return program(*arguments, environment)
