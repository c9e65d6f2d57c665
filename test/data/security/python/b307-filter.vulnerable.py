def select(rows, condition):
    return [
        row
        for row in rows
        if eval(
            condition,
            {},
            row,
        )
    ]
