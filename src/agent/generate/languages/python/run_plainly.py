import inspect as inspect_
import unittest as unittest_


def cases_(test):
    cases = [{}]
    for mark in getattr(test, "pytestmark", []):
        if mark.name != "parametrize" or len(mark.args) < 2:
            continue
        names, rows = mark.args[:2]
        names = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
        rows = [row.values if type(row).__name__ == "ParameterSet" else [row] if len(names) == 1 else row for row in rows]
        cases = [{**case, **dict(zip(names, row))} for case in cases for row in rows]
    wanted = set(inspect_.signature(test).parameters)
    return [case for case in cases if set(case) == wanted]


def tests_():
    for name, thing in list(globals().items()):
        if inspect_.isfunction(thing) and name.startswith("test") and name != "tests_":
            yield from ((name, thing, case) for case in cases_(thing))
        if not inspect_.isclass(thing):
            continue
        if issubclass(thing, unittest_.TestCase):
            yield name, lambda thing=thing: check_(thing), {}
        elif name.startswith("Test"):
            one = thing()
            found = [(key, getattr(one, key)) for key in dir(one) if key.startswith("test")]
            yield from ((key, method, case) for key, method in found for case in cases_(method))


def check_(thing):
    result = unittest_.TestResult()
    unittest_.defaultTestLoader.loadTestsFromTestCase(thing).run(result)
    assert result.wasSuccessful()


failed_ = []
for name_, test_, case_ in tests_():
    try:
        test_(**case_)
    except BaseException:
        failed_.append(name_)
print("\nSIGN failed: " + ", ".join(failed_) if failed_ else "\nSIGN passed")
