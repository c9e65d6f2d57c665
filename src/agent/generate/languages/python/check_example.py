def check_example__(calls, expected=None, error=None):
    results = []
    for call in calls:
        try:
            results.append(("value", call()))
        except Exception as raised:
            results.append(("error", [one.__name__ for one in type(raised).__mro__], raised))

    def fits(result):
        kind, value = result[:2]
        if error is not None:
            return kind == "error" and error in value
        if kind == "error":
            return False
        is_near = isinstance(expected, float) and isinstance(value, (int, float)) and abs(value - expected) < 1e-9
        return value == expected or is_near

    assert any(fits(one) for one in results), results
