"""Runs the tests of the folder it is started in and records them for who started it.

Runs inside the sandbox, beside the tests, on Python 3.8 and later. What to do comes on standard
input as JSON, the key that signs the records with it; neither is in the environment, in the
arguments or in a file when the first test is imported. Each record is one line, its signature in
front, written as soon as it is known: a run that is killed leaves what it found so far.
"""

import sys


def run():
    import hashlib
    import hmac
    import json
    import os
    import time

    order = json.loads(sys.stdin.buffer.read().decode("utf-8"))
    root = order["root"]
    os.chdir(root)
    report = open(order["report"], "wb", buffering=0)
    signer = {"count": 0, "seek": report.seek}

    def record(kind, _key=bytes.fromhex(order.pop("key")), **fields):
        text = json.dumps(dict(fields, kind=kind), ensure_ascii=True)
        signed = ("%d\n%s" % (signer["count"], text)).encode("ascii")
        signer["count"] += 1
        report.write(hmac.new(_key, signed, hashlib.sha256).hexdigest().encode("ascii"))
        report.write((" " + text + "\n").encode("ascii"))

    run_folder = os.path.dirname(os.path.abspath(order["report"]))
    sys.argv = [order["framework"]]
    sys.path[:] = [path for path in sys.path if os.path.abspath(path or ".") not in (run_folder, root)]
    sys.path.extend(order["modulePaths"])
    sys.dont_write_bytecode = True

    def put_first(folder):
        sys.path[:0] = [path for path in (folder, os.path.join(folder, "src")) if os.path.isdir(path)]

    separate_ms = order.get("separateMs")
    if separate_ms is None:
        put_first(root)
    meter = start_coverage(root) if order["coverage"] else None
    runner = run_pytest if order["framework"] == "pytest" else run_unittest

    def run_in(folder, tell):
        if separate_ms is not None:
            put_first(folder)
        return runner(folder, order["filter"], tell, time.perf_counter)

    if separate_ms is None:
        exit_code = run_in(root, record)
    else:
        exit_code = run_separately(root, run_in, record, order["report"], signer, separate_ms / 1000)
    if meter is not None:
        for fields in meter():
            record("coverage", **fields)
    record("end", exitCode=exit_code)
    sys.stdout.flush()
    sys.exit(exit_code)


# --- folders apart --------------------------------------------------------------------------


def run_separately(root, run_in, record, report, signer, seconds):
    """Tests each folder in a process that has everything loaded but the folder's own code."""
    import atexit
    import os
    import signal
    import time

    if run_in.__closure__ and is_importable("pytest"):
        import pytest  # noqa: F401  each process would load it again

    def run_child(folder):
        os.setpgid(0, 0)
        os.chdir(os.path.join(root, folder))

        def tell(kind, **fields):
            if "file" in fields:
                fields["file"] = folder + "/" + fields["file"]
            record(kind, **fields)

        run_in(os.path.join(root, folder), tell)
        atexit._run_exitfuncs()
        sys.stdout.flush()
        record("stop", name="", file=folder)

    def wait_for(child):
        ends = time.monotonic() + seconds
        while time.monotonic() < ends:
            if os.waitpid(child, os.WNOHANG)[0]:
                return "it ended early"
            time.sleep(0.002)
        try:
            os.killpg(child, signal.SIGKILL)
        except ProcessLookupError:
            os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        return "it took too long"

    folders = sorted(name for name in os.listdir(root) if os.path.isdir(os.path.join(root, name)))
    for folder in folders:
        sys.stdout.flush()
        child = os.fork()
        if child == 0:
            try:
                run_child(folder)
            finally:
                os._exit(0)
        problem = wait_for(child)
        with open(report, "rb+") as written:
            text = written.read()
            whole = text.rfind(b"\n") + 1
            written.truncate(whole)
        signer["count"] = text.count(b"\n", 0, whole)
        signer["seek"](whole)
        last = text[:whole].rstrip(b"\n").rsplit(b"\n", 1)[-1]
        if b'"kind": "stop"' not in last:
            record("test", name="", file=folder + "/", status="error", durationMs=0, message=problem)
    return 0


# --- pytest ---------------------------------------------------------------------------------


def run_pytest(root, chosen, record, clock):
    import pytest

    class Recorder:
        def __init__(self):
            self.open = {}

        def pytest_collectreport(self, report):
            if report.failed:
                file = str(report.nodeid).split("::")[0]
                record("test", name=str(report.nodeid) or "collection", file=file, status="error",
                       durationMs=0, message=str(report.longrepr))

        def pytest_runtest_logstart(self, nodeid, location):
            record("start", name=name_of(nodeid), file=location[0])

        def pytest_runtest_logreport(self, report):
            known = self.open.setdefault(report.nodeid, {"status": "passed", "ms": 0.0, "message": None})
            known["ms"] += report.duration * 1000
            status, message = judge(report)
            # A failure outranks what an earlier phase said; a passed phase changes nothing.
            if status == "skipped" or status in ("failed", "error"):
                known["status"], known["message"] = status, message
            if report.when == "teardown":
                self.open.pop(report.nodeid)
                record("test", name=name_of(report.nodeid), file=report.location[0],
                       status=known["status"], durationMs=known["ms"], message=known["message"])

    def name_of(nodeid):
        return nodeid.split("::", 1)[1] if "::" in nodeid else nodeid

    def judge(report):
        if report.failed:
            return ("failed" if report.when == "call" else "error"), failure_text(report)
        if report.skipped:
            if hasattr(report, "wasxfail"):
                return "skipped", "expected to fail: " + str(report.wasxfail)
            reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
            return "skipped", str(reason)
        return "passed", None

    def failure_text(report):
        crash = getattr(report.longrepr, "reprcrash", None)
        if crash is None:
            return str(report.longrepr)
        path = crash.path
        if path.startswith(root + "/"):
            path = path[len(root) + 1:]
        return "%s\n(%s:%s)" % (crash.message, path, crash.lineno)

    arguments = ["-p", "no:cacheprovider", "--color=no", "--rootdir=" + root]
    if chosen:
        arguments += ["-k", chosen]
    if is_importable("pytest_cov"):
        arguments.append("--no-cov")
    return int(pytest.main(arguments, plugins=[Recorder()]))


# --- unittest -------------------------------------------------------------------------------


def run_unittest(root, chosen, record, clock):
    import os
    import unittest

    class Recorder(unittest.TextTestResult):
        def startTest(self, test):
            super().startTest(test)
            self.began = clock()
            self.verdict = ("passed", None)
            self.is_open = True
            record("start", name=test.id(), file=file_of(test))

        def stopTest(self, test):
            super().stopTest(test)
            # Some versions stop a skipped test that they never started.
            if getattr(self, "is_open", False):
                self.is_open = False
                self.tell(test, *self.verdict)

        def tell(self, test, status, message):
            spent = (clock() - self.began) * 1000 if hasattr(self, "began") else 0
            record("test", name=test.id(), file=file_of(test), status=status, durationMs=spent, message=message)

        def judge(self, test, status, message):
            # Class and module fixtures fail outside of any test.
            if getattr(self, "is_open", False):
                if self.verdict[0] not in ("failed", "error"):
                    self.verdict = (status, message)
            else:
                self.tell(test, status, message)

        def addFailure(self, test, err):
            super().addFailure(test, err)
            self.judge(test, "failed", short(err))

        def addError(self, test, err):
            super().addError(test, err)
            self.judge(test, "error", short(err))

        def addSubTest(self, test, subtest, err):
            super().addSubTest(test, subtest, err)
            if err is not None:
                status = "failed" if issubclass(err[0], test.failureException) else "error"
                self.judge(test, status, "%s: %s" % (subtest.id(), short(err)))

        def addSkip(self, test, reason):
            super().addSkip(test, reason)
            self.judge(test, "skipped", reason)

        def addExpectedFailure(self, test, err):
            super().addExpectedFailure(test, err)
            self.judge(test, "skipped", "expected to fail")

        def addUnexpectedSuccess(self, test):
            super().addUnexpectedSuccess(test)
            self.judge(test, "failed", "expected to fail, but passed")

    def file_of(test):
        module = sys.modules.get(type(test).__module__)
        path = getattr(module, "__file__", None) or ""
        return os.path.relpath(path, root) if path.startswith(root + os.sep) else ""

    def short(err):
        import traceback

        place = ""
        for frame in traceback.extract_tb(err[2]):
            if frame.filename.startswith(root + os.sep):
                place = "\n(%s:%s)" % (os.path.relpath(frame.filename, root), frame.lineno)
        return "".join(traceback.format_exception_only(err[0], err[1])).strip() + place

    class Loader(unittest.TestLoader):
        def _match_path(self, path, full_path, pattern):
            return is_unittest_file(path)

    loader = Loader()
    if chosen:
        loader.testNamePatterns = [chosen if "*" in chosen else "*%s*" % chosen]
    suite = unittest.TestSuite()
    for folder in test_folders(root):
        loader._top_level_dir = None
        suite.addTests(loader.discover(folder, "*.py", folder))
    result = unittest.TextTestRunner(resultclass=Recorder, verbosity=2).run(suite)
    return 0 if result.wasSuccessful() else 1


def test_folders(root):
    """Where discovery starts: each folder with tests or packages that is no package itself."""
    import os

    starts = []
    for folder, names, files in os.walk(root):
        names[:] = sorted(name for name in names if not name.startswith((".", "__")) and name != "node_modules")
        is_start = folder == root or "__init__.py" not in files
        has_package = any(os.path.isfile(os.path.join(folder, name, "__init__.py")) for name in names)
        if is_start and (has_package or any(map(is_unittest_file, files))):
            starts.append(folder)
    return starts or [root]


def is_unittest_file(name):
    return name.endswith(".py") and (name.startswith("test") or name.endswith("_test.py"))


# --- coverage -------------------------------------------------------------------------------


def start_coverage(root):
    """Starts measuring; what it returns ends that and gives the records."""
    return with_coverage_package(root) if has_coverage_package() else with_own_tracer(root)


def is_importable(name):
    import importlib.util

    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        return False
    # A folder of that name in the project is a namespace package without an origin.
    return spec is not None and spec.origin is not None


def has_coverage_package():
    if not is_importable("coverage"):
        return False
    import coverage

    return hasattr(coverage, "Coverage") and hasattr(coverage, "__version__")


def with_coverage_package(root):
    import coverage

    meter = coverage.Coverage(data_file=None, source=[root])
    configured = list(meter.get_option("run:omit") or [])
    left_out = configured + [
        "*/test_*.py", "*_test.py", "*/conftest.py", "*/tests.py", "*/tests/*", "*/test/*", "*/setup.py", "*/.*/*",
    ]
    meter.set_option("run:omit", left_out)
    meter.set_option("run:disable_warnings", ["no-data-collected", "module-not-measured"])
    meter.start()

    def finish():
        import os

        meter.stop()
        files = set(meter.get_data().measured_files())
        if not configured:
            # It adds files that no test imported only where they lie in packages.
            files.update(path for path in project_files(root) if not is_left_out(root, path))
        for path in sorted(files):
            try:
                _name, statements, _excluded, missing, _text = meter.analysis2(path)
            except Exception:
                continue
            yield {"file": os.path.relpath(path, root), "lines": len(statements), "missing": list(missing),
                   "meter": "coverage " + coverage.__version__}

    return finish


def with_own_tracer(root):
    import threading

    seen = {}
    prefix = root + "/"

    def is_watched(path):
        return path.startswith(prefix) and not is_left_out(root, path)

    if hasattr(sys, "monitoring"):
        events = sys.monitoring.events

        def on_line(code, line):
            if is_watched(code.co_filename):
                seen.setdefault(code.co_filename, set()).add(line)
            return sys.monitoring.DISABLE

        sys.monitoring.use_tool_id(sys.monitoring.COVERAGE_ID, "tests")
        sys.monitoring.register_callback(sys.monitoring.COVERAGE_ID, events.LINE, on_line)
        sys.monitoring.set_events(sys.monitoring.COVERAGE_ID, events.LINE)
    else:
        def on_call(frame, event, _argument):
            if not is_watched(frame.f_code.co_filename):
                return None
            lines = seen.setdefault(frame.f_code.co_filename, set())

            def on_event(frame, event, _argument):
                if event == "line":
                    lines.add(frame.f_lineno)
                return on_event

            return on_event

        threading.settrace(on_call)
        sys.settrace(on_call)

    def finish():
        import os

        if hasattr(sys, "monitoring"):
            sys.monitoring.set_events(sys.monitoring.COVERAGE_ID, 0)
        else:
            sys.settrace(None)
            threading.settrace(None)
        for path in project_files(root):
            if is_left_out(root, path):
                continue
            lines = executable_lines(path)
            missing = sorted(lines - seen.get(path, set()))
            yield {"file": os.path.relpath(path, root), "lines": len(lines), "missing": missing, "meter": "own"}

    return finish


def executable_lines(path):
    """Lines that start an instruction, besides those of docstrings."""
    import ast
    import dis

    try:
        with open(path, "rb") as file:
            source = file.read()
        tree = ast.parse(source)
        pending = [compile(source, path, "exec", dont_inherit=True)]
    except (SyntaxError, ValueError, RecursionError, MemoryError, OSError):
        return set()
    lines = set()
    while pending:
        code = pending.pop()
        # Line 0 belongs to no source line.
        lines.update(line for _offset, line in dis.findlinestarts(code) if line)
        pending.extend(constant for constant in code.co_consts if hasattr(constant, "co_code"))
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and isinstance(body[0], ast.Expr):
            value = getattr(body[0].value, "value", None)
            if isinstance(value, str):
                lines.difference_update(range(body[0].lineno, (body[0].end_lineno or body[0].lineno) + 1))
    return lines


def project_files(root):
    import os

    for folder, names, files in os.walk(root):
        names[:] = sorted(name for name in names if not name.startswith(".") and name not in ("node_modules", "__pycache__"))
        for name in sorted(files):
            if name.endswith(".py"):
                yield os.path.join(folder, name)


def is_left_out(root, path):
    parts = path[len(root) + 1:].split("/")
    return (
        parts[-1].startswith("test_")
        or parts[-1].endswith("_test.py")
        or parts[-1] in ("conftest.py", "tests.py", "setup.py")
        or any(part in ("tests", "test") or part.startswith(".") for part in parts[:-1])
    )


if __name__ == "__main__":
    run()
