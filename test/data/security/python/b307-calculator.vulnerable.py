def calculate(expression, names):
    allowed = {"abs": abs, "min": min, "max": max}
    allowed.update(names)
    return eval(expression, {"__builtins__": {}}, allowed)
