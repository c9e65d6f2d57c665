/** The function that the changed code calls. */
export const changerName = 'changed_result__';

const maxDepth = 3;

/**
 * Another value of the same type, so that what notices it has looked at the value. What is inside changes too: of a
 * record few tests look at the whole.
 */
export const pythonChanger = `

def ${changerName}(value, depth=0):
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float, complex)):
        return value + 1
    if isinstance(value, str):
        return value + "~"
    if isinstance(value, bytes):
        return value + b"~"
    inner = (lambda one: ${changerName}(one, depth + 1)) if depth < ${maxDepth} else (lambda one: one)
    if isinstance(value, list):
        return [inner(one) for one in value] + [None]
    if type(value) is tuple:
        return tuple(inner(one) for one in value) + (None,)
    if isinstance(value, (set, frozenset)):
        return value | {"~"}
    if isinstance(value, dict):
        return {**{key: inner(one) for key, one in value.items()}, "~": None}
    if value is None:
        return 0
    fields = getattr(value, "__dict__", None)
    if not fields or callable(value) or depth >= ${maxDepth}:
        return object()
    import copy

    try:
        other = copy.copy(value)
        for key, one in fields.items():
            object.__setattr__(other, key, inner(one))
        return other
    except Exception:
        return object()
`;

export const scriptChanger = `
function ${changerName}(value, depth = 0) {
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'bigint') return value + 1n;
  if (typeof value === 'string') return value + '~';
  if (typeof value === 'boolean') return !value;
  if (value === undefined || value === null) return 0;
  const inner = (one) => (depth < ${maxDepth} ? ${changerName}(one, depth + 1) : one);
  if (Array.isArray(value)) return [...value.map(inner), null];
  if (value instanceof Promise) return value.then((one) => ${changerName}(one));
  if (value instanceof Set) return new Set([...value, '~']);
  if (value instanceof Map) return new Map([...[...value].map(([key, one]) => [key, inner(one)]), ['~', null]]);
  if (typeof value !== 'object' || Object.keys(value).length === 0) return Object.getPrototypeOf(value) === Object.prototype ? { '~': null } : {};
  const fields = Object.entries(value).map(([key, one]) => [key, inner(one)]);
  return Object.assign(Object.create(Object.getPrototypeOf(value)), Object.fromEntries(fields), { '~': null });
}
`;

/** Ends a program whose values equal what they never saw: such values pass every comparison. */
export const pythonEqualityProbe = `

def probe_equality__(owner):
    compare = owner.__eq__

    def equals(one, what):
        try:
            result = compare(one, what)
            return result is not NotImplemented and bool(result)
        except Exception:
            return False

    def checked(self, other):
        strangers = (object(), 918273645.5, -918273645, "~918273645~", b"~918273645~")
        if sum(equals(self, stranger) for stranger in strangers) > 1 or equals(self, strangers[0]):
            raise BaseException("it equals everything")
        return compare(self, other)

    owner.__eq__ = checked


for owner__ in list(globals().values()):
    if isinstance(owner__, type) and owner__.__module__ == __name__ and "__eq__" in owner__.__dict__:
        probe_equality__(owner__)
`;
