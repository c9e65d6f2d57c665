def check_example__(calls, expected=None, error=None):
    def run(call):
        try:
            return ("value", call())
        except Exception as raised:
            return ("error", [one.__name__ for one in type(raised).__mro__], raised)

    def fits(result):
        kind, value = result[:2]
        if error is not None:
            return kind == "error" and error in value
        if kind == "error":
            return False
        is_near = isinstance(expected, float) and isinstance(value, (int, float)) and abs(value - expected) < 1e-9
        return value == expected or is_near

    for time in ("", "the second time: "):
        results = [run(call) for call in calls]
        assert any(fits(one) for one in results), time + repr(results)


def keeping_arguments__(function):
    def call(*given, **named):
        before = repr((given, named))
        result = function(*given, **named)
        assert repr((given, named)) == before, "it changes its arguments"
        return result

    return function if isinstance(function, type) else call
