def changed_result__(value, depth=0, keeps_size=0):
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float, complex)):
        return value + 1 if abs(value) < 1e15 else 0
    if isinstance(value, str):
        return value + "~"
    if isinstance(value, bytes):
        return value + b"~"
    inner = (lambda one: changed_result__(one, depth + 1)) if depth < 3 else (lambda one: one)
    if isinstance(value, list):
        return [inner(one) for one in value] + ([] if keeps_size else [None])
    if type(value) is tuple:
        return tuple(inner(one) for one in value) + (() if keeps_size else (None,))
    if isinstance(value, (set, frozenset)):
        return value | {"~"}
    if isinstance(value, dict):
        return {**{key: inner(one) for key, one in value.items()}, **({} if keeps_size else {"~": None})}
    if value is None:
        return 0
    fields = getattr(value, "__dict__", None)
    if not fields or callable(value) or depth >= 3:
        return object()
    import copy

    try:
        other = copy.copy(value)
        for key, one in fields.items():
            object.__setattr__(other, key, inner(one))
        return other
    except Exception:
        return object()
