import ast
import doctest
import inspect
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import canaletto as cn
import pytest
from canaletto import attachments, bounds, traces

NAMED = {name: getattr(cn, name) for name in cn.__all__ if not name.startswith("_")}
OF_MODULES = {
    f"{module.__name__.removeprefix('canaletto.')}.{name}": getattr(module, name)
    for module in (attachments, bounds, traces)
    for name in module.__all__
}


def public() -> Iterator[tuple[str, object]]:
    for name, found in (NAMED | OF_MODULES).items():
        if inspect.isfunction(found) or inspect.isclass(found):
            yield name, found
        if inspect.isclass(found):
            for method in vars(found):
                if not method.startswith("_") and inspect.isroutine(getattr(found, method)):
                    yield f"{name}.{method}", getattr(found, method)


EVERY = dict(public())
FUNCTIONS = {name: found for name, found in EVERY.items() if inspect.isfunction(found)}


def test_modules_without_underscore_are_named() -> None:
    there = {path.stem for path in Path(cn.__file__).parent.glob("*.py")}
    assert {name for name in there if not name.startswith("_")} == {"attachments", "bounds", "result", "traces"}


def test_the_core_takes_nothing_but_the_engine_and_modules_from_its_own_interface() -> None:
    """`lint-imports` cannot see this: it takes the compiled `canaletto._engine` for a name of `canaletto`."""
    home = Path(cn.__file__).parent
    found = {
        name.name
        for path in home.glob("*/**/*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom) and node.module == "canaletto"
        for name in node.names
    }
    assert found - {"attachments", "bounds", "result", "traces"} == {"_engine"}


@pytest.mark.parametrize("name", EVERY)
def test_everything_public_says_what_it_is(name: str) -> None:
    assert inspect.getdoc(EVERY[name])


@pytest.mark.parametrize("name", FUNCTIONS)
def test_parameters_and_results_are_documented(name: str) -> None:
    found: Callable[..., object] = FUNCTIONS[name]  # type: ignore[assignment]
    signature, text = inspect.signature(found), inspect.getdoc(found) or ""
    taken = [each for each in signature.parameters if each != "self"]
    told = re.findall(r"^([a-z_, ]+)\n    ", text.partition("Parameters\n------")[2].partition("\n\n")[0], re.MULTILINE)
    assert set(taken) <= {each for names in told for each in names.split(", ")}
    if taken and signature.return_annotation not in (None, "None"):
        assert "\nReturns\n-------\n" in text


@pytest.mark.parametrize("name", [name for name, found in EVERY.items() if ">>>" in (found.__doc__ or "")])
def test_examples_are_true(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = doctest.DocTestFinder(recurse=False).find(EVERY[name], name, globs={})
    assert sum(doctest.DocTestRunner().run(each).failed for each in found) == 0


def test_importing_loads_neither_frames_nor_charts() -> None:
    seen = (
        "import sys, canaletto; print([n for n in ('altair', 'numpy', 'polars', 'rich', 'typer') if n in sys.modules])"
    )
    ended = subprocess.run([sys.executable, "-c", seen], capture_output=True, text=True, check=True)
    assert ended.stdout == "[]\n"
