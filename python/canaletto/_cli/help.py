"""Conventions of all commands: groups of options, examples, numbers, completion."""

import inspect
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_group

from canaletto._io import plugins

if TYPE_CHECKING:
    from typer._click.core import Context
    from typer._click.formatting import HelpFormatter

DRIVE, RUN, ARRIVALS, TRACES, OUTPUT = "Drive", "Run", "Arrivals", "Traces", "Output"
"""Groups of options."""

_EXAMPLES = "Examples:"


class _Plainly:
    """Pydantic is not loaded: that takes as long as a short run."""

    def parse_args(self, ctx: "Context", args: list[str]) -> list[str]:
        for param in self.get_params(ctx):  # type: ignore[attr-defined]
            described = getattr(param, "type_descriptor", None)
            if described is not None:
                param._runtime_param = _Plain(described.annotation, described.parameter_info)
        rest: list[str] = super().parse_args(ctx, args)  # type: ignore[misc]
        return rest


class Command(_Plainly, TyperCommand):
    """A command with options in groups. `--json` alone means `--json=full`."""

    def parse_args(self, ctx: "Context", args: list[str]) -> list[str]:
        if any(param.name == "json" and not getattr(param, "is_flag", True) for param in self.params):
            words = args.index("--") if "--" in args else len(args)
            args = [*("--json=full" if word == "--json" else word for word in args[:words]), *args[words:]]
        return super().parse_args(ctx, args)

    def format_help_text(self, ctx: "Context", formatter: "HelpFormatter") -> None:
        text, _, examples = inspect.cleandoc(self.help or "").partition(_EXAMPLES)
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(text.strip())
        if examples:
            with formatter.section(_EXAMPLES.removesuffix(":")):
                for line in examples.strip().splitlines():
                    formatter.write(f"{' ' * formatter.current_indent}{line.strip()}\n")

    def collect_usage_pieces(self, ctx: "Context") -> list[str]:
        return [piece.strip("{}") for piece in super().collect_usage_pieces(ctx)]

    def format_options(self, ctx: "Context", formatter: "HelpFormatter") -> None:
        """Arguments, common options, then groups; in a long page the last groups only have names."""
        groups: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is not None:
                usual = "Arguments" if param.param_type_name == "argument" else "Options"
                name, text = record
                panel = getattr(param, "rich_help_panel", None) or usual
                groups.setdefault(panel, []).append((TYPE.sub("", name), text))
        found = [(name, records) for name, records in groups.items() if records]
        before, described = len(formatter.buffer), len(found)
        shortened = not ctx.meta.get(_ALL) and any(param.name == "help_all" for param in self.params)
        _write_groups(formatter, found, described)
        while formatter.getvalue().count("\n") > _LINES and shortened and described:
            described -= 1
            del formatter.buffer[before:]
            _write_groups(formatter, found, described)


def _write_groups(formatter: "HelpFormatter", groups: list[tuple[str, list[tuple[str, str]]]], described: int) -> None:
    for name, records in groups[:described]:
        with formatter.section(name):
            formatter.write_dl(records)
    if groups[described:]:
        with formatter.section("More options, which --help-all describes"):
            width = formatter.width - max(len(name) for name, _ in groups[described:]) - 4
            rows = []
            for name, records in groups[described:]:
                options = " ".join(names.split()[0] for names, _ in records)
                # \b: lines stay as they are, so that no option is split at a hyphen.
                rows.append((name, "\b\n" + fill(options, width, break_on_hyphens=False)))
            formatter.write_dl(rows)


@dataclass(frozen=True)
class _Plain:
    """Converter for kinds that need no more than a call. Typer converts others."""

    kind: Any
    info: Any

    def coerce(self, value: Any, param: Any, ctx: "Context") -> Any:
        if value is None:
            return () if param.multiple or param.nargs == -1 else None
        if self.kind == list[str]:
            return [str(each) for each in value]
        if self.info.parser is None and self.kind not in (str, bool, Path) and get_origin(self.kind) is not Literal:
            param._runtime_param = None
            return param.get_runtime_param().coerce(value, param=param, ctx=ctx)
        try:
            return self._one(value)
        except ValueError as error:
            raise typer.BadParameter(str(error), ctx=ctx, param=param) from error

    def _one(self, value: Any) -> Any:
        if self.info.parser is not None:
            return self.info.parser(value)
        if get_origin(self.kind) is not Literal:
            return self.kind(value)
        allowed = get_args(self.kind)
        if value not in allowed:
            raise ValueError(f"{value!r} is not one of {', '.join(map(repr, allowed))}.")
        return value


TYPE = re.compile(r" <(str|path|list\[str\])>$")
"""A Python type, which means nothing to users."""

_LINES, _ALL = 50, "canaletto.help-all"
"""Lines of `--help`; key of the context that `--help-all` sets."""


def describe_all(ctx: typer.Context, wanted: bool) -> None:
    """Prints the help with all options if `--help-all` is given."""
    if wanted:
        ctx.meta[_ALL] = True
        sys.stdout.write(f"{ctx.get_help()}\n")
        raise typer.Exit


_FIRST = ("run", "compare", "load", "sweep", "search", "bound", "explain", "presets", "trace")
"""Commands that most users need."""


class Program(_Plainly, TyperGroup):
    """Plug-ins' commands are loaded when needed."""

    def get_command(self, ctx: "Context", cmd_name: str) -> Any:
        if cmd_name not in self.commands:
            if cmd_name in plugins.names("command"):
                self._add(cmd_name, plugins.load("command", cmd_name))
            else:
                self.list_commands(ctx)  # Those that the message may suggest.
        return super().get_command(ctx, cmd_name)

    def list_commands(self, ctx: "Context") -> list[str]:
        for name, found in plugins.each("command"):
            self._add(name, found)
        rest = [name for name in self.commands if name not in _FIRST]
        return [*(name for name in _FIRST if name in self.commands), *rest]

    def format_commands(self, ctx: "Context", formatter: "HelpFormatter") -> None:
        names = self.list_commands(ctx)
        limit = formatter.width - 6 - max(map(len, names))
        for title, is_common in (("Common commands", True), ("More commands", False)):
            with formatter.section(title):
                chosen = [name for name in names if (name in _FIRST) == is_common]
                formatter.write_dl([(name, self.commands[name].get_short_help_str(limit)) for name in chosen])

    def _add(self, name: str, plugin: typer.Typer) -> None:
        if name not in self.commands:
            # Its help is to look like the others'.
            app = typer.Typer(rich_markup_mode=None)
            app.add_typer(plugin)
            self.add_command(get_group(app).commands[name])


# Numbers. A parser takes defaults as well as text.


def whole(least: int, most: int | None = None) -> Callable[[Any], int]:
    def parse(given: Any) -> int:
        number = _decimal(given)
        if number is None or number % 1 or number < least or (most is not None and number > most):
            span = f"of at least {least}" if most is None else f"from {least} to {most}"
            raise ValueError(f"got {given}, expected a whole number {span}")
        return int(number)

    return parse


def share(given: Any) -> float:
    """A parser of shares of one such as `0.03` or `3%`."""
    text = str(given).strip()
    number = _decimal(text.removesuffix("%"))
    if number is not None and text.endswith("%"):
        number /= 100
    if number is None or not 0 <= number <= 1:
        raise ValueError(f"got {given}, expected a share from 0 to 1, or in percent")
    return float(number)


def _decimal(given: Any) -> Decimal | None:
    try:
        number = Decimal(str(given).strip())
    except InvalidOperation:
        return None
    # Exponents beyond these mean no number of requests, and would take for ever to write out.
    return number if number.is_finite() and abs(number.adjusted()) < 30 else None


# Completion. A shell asks for the names that begin with what is typed.


def complete_design(incomplete: str) -> list[str]:
    from canaletto._run import names

    return [*_beginning(names.presets(), incomplete), *_files(incomplete, ".toml")]


def complete_workload(incomplete: str) -> list[str]:
    from canaletto._run import names

    return [*_beginning(names.profiles(), incomplete), *_files(incomplete)]


def complete_fabric(incomplete: str) -> list[str]:
    from canaletto._run import names

    return _beginning(names.fabrics(), incomplete)


def complete_fabrics(incomplete: str) -> list[str]:
    before, comma, last = incomplete.rpartition(",")
    given = before.split(",")
    return [f"{before}{comma}{name}" for name in complete_fabric(last) if name not in given]


def complete_budget(incomplete: str) -> list[str]:
    from canaletto._run.equal import MEASURES

    return _beginning(MEASURES, incomplete)


def complete_setting(incomplete: str) -> list[str]:
    import json

    from canaletto import _engine

    keys = [f"{key}=" for key in _keys(json.loads(_engine.schema("design")))]
    schema = json.loads(_engine.schema("workload"))
    flows = [{**schema["$defs"][name], "$defs": schema["$defs"]} for name in ("Flow", "Synthetic", "Trace")]
    keys += [f"workload.{key}=" for part in (schema, *flows) for key in _keys(part)]
    return _beginning(dict.fromkeys(keys), incomplete)


def _keys(schema: dict[str, Any]) -> Iterator[str]:
    def walk(part: dict[str, Any], path: str) -> Iterator[str]:
        choices = [each for each in part.get("anyOf", ()) if each.get("type") != "null"]
        part = choices[0] if choices else part
        part = schema["$defs"][part["$ref"].rsplit("/")[-1]] if "$ref" in part else part
        if "properties" not in part:
            yield path
        for name, inner in part.get("properties", {}).items():
            yield from walk(inner, f"{path}.{name}" if path else name)

    yield from walk(schema, "")


def _beginning(known: Any, incomplete: str) -> list[str]:
    return [name for name in known if name.startswith(incomplete)]


def _files(incomplete: str, ending: str = "") -> list[str]:
    folder, _, _ = incomplete.rpartition("/")
    try:
        found = sorted(Path(folder or ("/" if incomplete.startswith("/") else ".")).iterdir())
    except OSError:
        return []
    prefix = re.sub(r"[^/]*$", "", incomplete)
    names = [f"{prefix}{path.name}{'/' if path.is_dir() else ''}" for path in found]
    return [name for name in names if name.startswith(incomplete) and (name.endswith((ending, "/")))]
