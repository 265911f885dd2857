"""Runs the tests where pytest is not installed: plain.py [test_FILE.py]...

Stands in for the part of pytest that the tests use. Prints FAILED and SKIPPED lines as it
does, and ends with 1 when a test failed.
"""
import contextlib
import importlib
import inspect
import itertools
import os
import pathlib
import re
import shutil
import sys
import tempfile
import time
import traceback
import types
import warnings as warnings_module

FIXTURES = {}


class Skipped(Exception):
    """A test that says why it does not run."""


class Mark:
    def __init__(self, kind, *values, **named):
        self.kind, self.values, self.named = kind, values, named

    def __call__(self, function):
        function.marks = [self, *getattr(function, "marks", [])]
        return function


class Marks:
    def __getattr__(self, kind):
        return lambda *values, **named: Mark(kind, *values, **named)


class Parameter:
    def __init__(self, *values, marks=()):
        self.values, self.marks = values, [marks] if isinstance(marks, Mark) else marks


def fixture(function=None, **_settings):
    def register(function):
        FIXTURES[function.__name__] = function, _settings.get("autouse", False)
        return function
    return register if function is None else register(function)


@contextlib.contextmanager
def raises(kind, match=""):
    try:
        yield
    except kind as error:
        assert re.search(match, str(error)), f"'{match}' is not in '{error}'"
    else:
        raise AssertionError(f"{kind.__name__} was not raised")


@contextlib.contextmanager
def warns(kind, match=""):
    with warnings_module.catch_warnings(record=True) as told:
        warnings_module.simplefilter("always")
        yield
    assert any(issubclass(w.category, kind) and re.search(match, str(w.message))
               for w in told), f"no warning with '{match}'"


def skip(reason="", allow_module_level=False):
    raise Skipped(reason)


def importorskip(name, reason=None):
    try:
        return importlib.import_module(name)
    except ImportError:
        raise Skipped(reason or f"{name} is not here")


class MonkeyPatch:
    def __init__(self):
        self.environment, self.folder = dict(os.environ), os.getcwd()
        self.places = []

    def setenv(self, name, value):
        os.environ[name] = value

    def delenv(self, name, raising=True):
        os.environ.pop(name, None)

    def setattr(self, place, name, value):
        self.places.append((place, name, getattr(place, name)))
        setattr(place, name, value)

    def chdir(self, folder):
        os.chdir(folder)

    def undo(self):
        for place, name, value in reversed(self.places):
            setattr(place, name, value)
        os.chdir(self.folder)
        os.environ.clear()
        os.environ.update(self.environment)


def stand_in():
    module = types.ModuleType("pytest")
    module.fixture, module.raises, module.warns = fixture, raises, warns
    module.skip, module.importorskip = skip, importorskip
    module.param = Parameter
    module.mark = Marks()
    sys.modules["pytest"] = module


def cases(function):
    """Arguments of every call of a test, with the marks of each."""
    axes = []
    for mark in getattr(function, "marks", []):
        if mark.kind != "parametrize":
            continue
        names = [name.strip() for name in mark.values[0].split(",")]
        axis = []
        for value in mark.values[1]:
            marks = value.marks if isinstance(value, Parameter) else []
            plain = value.values if isinstance(value, Parameter) else \
                value if len(names) > 1 else (value,)
            axis.append((dict(zip(names, plain)), marks))
        axes.append(axis)
    for chosen in itertools.product(*axes):
        given = {name: value for values, _ in chosen for name, value in values.items()}
        yield given, [mark for _, marks in chosen for mark in marks]


class Call:
    """One call of a test with its fixtures."""

    def __init__(self, module):
        self.module, self.made, self.ends = module, {}, []

    def value(self, name):
        if name not in self.made:
            self.made[name] = self.make(name)
        return self.made[name]

    def make(self, name):
        if name == "tmp_path":
            folder = tempfile.mkdtemp()
            self.ends.append(lambda: shutil.rmtree(folder, ignore_errors=True))
            return pathlib.Path(folder)
        if name == "monkeypatch":
            patch = MonkeyPatch()
            self.ends.append(patch.undo)
            return patch
        if name not in FIXTURES:
            raise Skipped(f"{name} is pytest's own")
        function = FIXTURES[name][0]
        found = function(**{n: self.value(n)
                            for n in inspect.signature(function).parameters})
        if not inspect.isgenerator(found):
            return found
        self.ends.append(lambda: next(found, None))
        return next(found)

    def run(self, function, given):
        for name, (_, autouse) in FIXTURES.items():
            if autouse and FIXTURES[name][0].__module__ == self.module.__name__:
                self.value(name)
        try:
            function(**given, **{name: self.value(name)
                                 for name in inspect.signature(function).parameters
                                 if name not in given})
        finally:
            for end in reversed(self.ends):
                end()


def run_case(module, function, given, marks):
    for mark in [*getattr(function, "marks", []), *marks]:
        if mark.kind == "skipif" and mark.values[0]:
            raise Skipped(mark.named.get("reason", ""))
    Call(module).run(function, given)


def run_file(name, counts):
    try:
        module = importlib.import_module(name)
    except Skipped as reason:
        print(f"SKIPPED {name}: {reason}")
        counts["skipped"] += 1
        return
    for test, function in list(vars(module).items()):
        if not test.startswith("test_") or not callable(function):
            continue
        for number, (given, marks) in enumerate(cases(function)):
            try:
                run_case(module, function, given, marks)
                counts["passed"] += 1
            except Skipped as reason:
                print(f"SKIPPED {name}::{test}[{number}]: {reason}")
                counts["skipped"] += 1
            except Exception as error:
                traceback.print_exc(limit=-4)
                print(f"FAILED {name}::{test}[{number}] - {type(error).__name__}: "
                      f"{str(error)[:300]}", flush=True)
                counts["failed"] += 1


def main():
    here = pathlib.Path(__file__).resolve().parent
    sys.path.insert(0, str(here))
    stand_in()
    importlib.import_module("conftest")
    counts, begun = {"failed": 0, "passed": 0, "skipped": 0}, time.time()
    for file in sys.argv[1:] or sorted(map(str, here.glob("test_*.py"))):
        run_file(pathlib.Path(file).stem, counts)
    print(", ".join(f"{count} {what}" for what, count in counts.items())
          + f" in {time.time() - begun:.1f} s")
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
