"""Reference of the commands, made of the help that they print."""

import inspect
from collections.abc import Iterator

import typer
from canaletto._cli.app import app
from canaletto._cli.help import TYPE
from markup import cell, code
from typer.core import TyperCommand, TyperGroup


def page() -> str:
    return "\n".join(["# Commands", "", *_group(typer.main.get_command(app), "canaletto", 2)])


def _group(group: TyperGroup, path: str, level: int) -> Iterator[str]:
    yield from (inspect.cleandoc(group.help or ""), "")
    for name in group.list_commands(typer.Context(group)):
        command = group.commands[name]
        yield from (f"{'#' * level} {path} {name}", "")
        if isinstance(command, TyperGroup):
            yield from _group(command, f"{path} {name}", level + 1)
        else:
            yield from _command(command, f"{path} {name}")


def _command(command: TyperCommand, path: str) -> Iterator[str]:
    text, _, examples = inspect.cleandoc(command.help or "").partition("Examples:")
    context = command.context_class(command, info_name=path)
    usage = " ".join(command.collect_usage_pieces(context))
    yield from ("```text", f"{path} {usage}", "```", "", text.strip(), "")
    if examples:
        yield from ("```console", *(f"$ {line.strip()}" for line in examples.strip().splitlines()), "```", "")
    yield from ("| option | meaning |", "| --- | --- |")
    for param in command.get_params(context):
        record = param.get_help_record(context)
        if record is not None:
            yield f"| {code(TYPE.sub('', record[0]))} | {cell(record[1])} |"
    yield ""
