"""Counting of an equal budget."""

from canaletto._run.equal import MEASURES, Equal, amount


def sheet(equal: Equal) -> list[list[str]]:
    """Headings (a newline breaks a line), then a row per fabric."""
    title = MEASURES[equal.measure].title
    heads = [f"equal\n{equal.measure}", "own link,\nwires", title, "link,\nwires", title, "left over"]
    return [
        heads,
        *(
            [
                each.fabric,
                str(each.own_width),
                _number(each.own),
                str(each.width),
                _number(each.has),
                _number(each.left),
            ]
            for each in equal.fabrics
        ),
    ]


def sentence(equal: Equal) -> str:
    return (
        f"Equal {equal.measure}: links of each fabric are as wide as {amount(equal.measure, equal.budget)} allow, in "
        "whole wires. crossbar is the bound: any chip on any free trunk, "
        f"{equal.crossbar_pins} data pins per controller."
    )


def _number(value: float) -> str:
    return f"{value:,.2f}".rstrip("0").rstrip(".")
