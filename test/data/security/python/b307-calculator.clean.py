import ast


def calculate(expression):
    return ast.literal_eval(expression)
