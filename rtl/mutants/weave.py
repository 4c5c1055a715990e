"""Writes the hardware with all its mutants in it, one of which a variable selects at run time."""

import shutil
import tomllib
from pathlib import Path

HERE = Path(__file__).parent


def weave(sources: Path, folder: Path) -> list[dict[str, str]]:
    mutants: list[dict[str, str]] = tomllib.loads((HERE / "mutants.toml").read_text())["mutant"]
    if folder.exists():
        shutil.rmtree(folder)
    shutil.copytree(sources, folder)
    places: dict[tuple[str, str, str], list[tuple[int, str]]] = {}
    for number, mutant in enumerate(mutants, 1):
        place = (mutant["file"], mutant["from"], mutant.get("of", mutant["from"]))
        places.setdefault(place, []).append((number, mutant["to"]))
    changes: dict[str, list[tuple[int, int, str]]] = {}
    for (file, context, expression), others in places.items():
        text = (sources / file).read_text()
        if text.count(context) != 1 or expression not in context:
            raise SystemExit(f"mutants.toml: {context!r} stands {text.count(context)} times in {file}, expected once")
        start = text.index(context) + context.rindex(expression)
        changed = expression
        for number, to in others:
            changed = f"(venice_pkg::mutant == {number} ? ({to}) : ({changed}))"
        changes.setdefault(file, []).append((start, start + len(expression), changed))
    for file, found in changes.items():
        text = (sources / file).read_text()
        # From the end on, so that places before stay where they are.
        for start, end, changed in sorted(found, reverse=True):
            text = text[:start] + changed + text[end:]
        (folder / file).write_text(text)
    package = folder / "venice_pkg.sv"
    package.write_text(package.read_text().replace("endpackage", "  int mutant;\nendpackage"))
    return mutants


def changed(sources: Path, folder: Path, name: str) -> Path:
    mutants: list[dict[str, str]] = tomllib.loads((HERE / "mutants.toml").read_text())["mutant"]
    mutant = next(mutant for mutant in mutants if mutant["name"] == name)
    if folder.exists():
        shutil.rmtree(folder)
    shutil.copytree(sources, folder)
    file, context = folder / mutant["file"], mutant["from"]
    expression = mutant.get("of", context)
    before, _, after = context.rpartition(expression)
    file.write_text(file.read_text().replace(context, before + mutant["to"] + after))
    return folder
