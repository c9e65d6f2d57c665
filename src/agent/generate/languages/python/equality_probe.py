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
        others = (object(), 827364591.5, -827364591, "~827364591~", b"~827364591~")
        same = [equals(self, stranger) for stranger in strangers]
        # Two values of one type are not both equal to it.
        twice = any(one and equals(self, other) for one, other in zip(same, others))
        if sum(same) > 1 or same[0] or twice:
            raise BaseException("it equals everything")
        return compare(self, other)

    owner.__eq__ = checked


for owner__ in list(globals().values()):
    if isinstance(owner__, type) and owner__.__module__ == __name__ and "__eq__" in owner__.__dict__:
        probe_equality__(owner__)
