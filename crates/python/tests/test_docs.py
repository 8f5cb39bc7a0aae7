"""The examples in the docstrings run, everything public has a docstring, and the stubs name what there is."""

import ast
import doctest
import importlib.metadata
import inspect
import os
import unittest

import rukh

HERE = os.path.dirname(rukh.__file__)


def documented():
    """Everything public, with its name."""
    yield "rukh", rukh
    for name in rukh.__all__:
        thing = getattr(rukh, name)
        if name.startswith("_"):
            continue
        yield name, thing
        if inspect.isclass(thing) and not issubclass(thing, Exception):
            for inner in dir(thing):
                if not inner.startswith("_"):
                    yield f"{name}.{inner}", inspect.getattr_static(thing, inner)


class Documents(unittest.TestCase):
    def test_examples_run(self):
        parser, runner = doctest.DocTestParser(), doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
        seen = 0
        for name, thing in documented():
            if name == "Games.parquet" and not hasattr(rukh._rukh, "write_parquet"):
                continue  # not a wheel
            names = dict(vars(rukh), rukh=rukh)
            test = parser.get_doctest(inspect.getdoc(thing) or "", names, name, None, 0)
            seen += len(test.examples)
            self.assertEqual(runner.run(test).failed, 0, name)
        self.assertGreater(seen, 20)

    def test_a_wheel_has_its_licences(self):
        try:
            files = importlib.metadata.files("rukh") or []
        except importlib.metadata.PackageNotFoundError:
            self.skipTest("not a wheel")
        texts = {file.name: file.read_text() for file in files if file.name.startswith("LICENSE")}
        self.assertIn("MIT License", texts["LICENSE"])
        self.assertIn("pyo3", texts["LICENSE-THIRD-PARTY.txt"])

    def test_everything_has_a_docstring(self):
        missing = [name for name, thing in documented() if not (inspect.getdoc(thing) or "").strip()]
        self.assertEqual(missing, [])

    def test_stubs_name_everything(self):
        with open(os.path.join(HERE, "__init__.pyi"), encoding="utf-8") as file:
            tree = ast.parse(file.read())
        stubs = {}
        for node in tree.body:
            if isinstance(node, ast.ClassDef):
                parts = [part for part in node.body if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef))]
                stubs.update({f"{node.name}.{part.name}": part for part in parts})
                stubs[node.name] = node
            elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                stubs[node.name] = node
            elif isinstance(node, ast.ImportFrom):
                stubs.update({alias.asname or alias.name: None for alias in node.names})
        real = {name: thing for name, thing in documented() if name != "rukh"}
        self.assertEqual(sorted(set(real) - set(stubs)), [], "missing in __init__.pyi")
        for name, stub in stubs.items():
            if not isinstance(stub, (ast.FunctionDef, ast.AsyncFunctionDef)) or name.split(".")[-1].startswith("_"):
                continue
            self.assertIn(name, real, "in __init__.pyi only")
            try:
                signature = inspect.signature(real[name])
            except (TypeError, ValueError):
                continue  # a property
            arguments = stub.args
            named = arguments.posonlyargs + arguments.args + arguments.kwonlyargs
            named += [argument for argument in (arguments.vararg, arguments.kwarg) if argument]
            named = [argument.arg for argument in named]
            self.assertEqual(sorted(named), sorted(signature.parameters), name)
        self.assertTrue(os.path.exists(os.path.join(HERE, "py.typed")))


if __name__ == "__main__":
    unittest.main()
