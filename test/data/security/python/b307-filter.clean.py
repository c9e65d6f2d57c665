import operator

OPERATORS = {"eq": operator.eq, "lt": operator.lt}


def select(rows, field, name, value):
    compare = OPERATORS[name]
    return [row for row in rows if compare(row[field], value)]
