"""The command `canaletto ring-length`. It imports what it needs when it runs: its help is listed with all others."""

from typing import Annotated

import typer

app = typer.Typer()


@app.command("ring-length")
def ring_length(
    design: Annotated[str, typer.Argument(metavar="DESIGN", help="A preset's name or a TOML file.")],
) -> None:
    """Print the links of a design's rings."""
    import canaletto as cn

    geometry = cn.design(design).to_dict()["geometry"]
    typer.echo(geometry["channels"] * (geometry["chips_per_channel"] + 1))
