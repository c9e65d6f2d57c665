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
