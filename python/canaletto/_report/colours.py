"""One colour, one meaning, in every chart, map and table.

Fabrics have the colour-blind-safe colours of Okabe and Ito. Causes have families. These are greys at the host, browns
in the controller, purples for waiting at chips, yellows for garbage collection, crimson and pink for paths, blues on
the wires, greens in the array.
"""

from collections.abc import Iterable
from zlib import crc32

FABRICS = {
    "bus": "#000000",
    "sca": "#afb170",
    "packetized": "#E69F00",
    "omnibus": "#56B4E9",
    "omnibus-split": "#0072B2",
    "mesh": "#cb7db6",
    "mesh-2bit": "#8a6f8c",
    "venice": "#D55E00",
    "scheduled-mesh": "#8768fa",
    "clusters": "#7a164e",
    "daisy-chain": "#882200",
    "ring": "#2200cc",
    "custom": "#5cb6a0",
    "ideal": "#009E73",
}

PAPER = "#ffffff"
DARK = {"#000000": "#e6e6e6", PAPER: "#12181f"}
"""Colours that a dark page shows otherwise."""

CAUSES = {
    "host_queue": "#e6e6e7",
    "host_link": "#adadad",
    "device_queue": "#828181",
    "firmware": "#ded0b6",
    "system_bus": "#b9945c",
    "dram": "#a36d04",
    "ecc": "#e6ba70",
    "cache": "#9d7756",
    "write_buffer": "#624a37",
    "flush": "#f5ecda",
    "mapping_miss": "#722900",
    "same_page_write": "#f7e8fe",
    "read_modify_write": "#d0b6ca",
    "chip_busy_user": "#a783b6",
    "chip_busy_mapping": "#6a3f8b",
    "free_blocks": "#f7e9a0",
    "chip_busy_gc_read": "#f2c701",
    "chip_busy_gc_program": "#a0833e",
    "chip_busy_erase": "#655912",
    "chip_busy_folding": "#e19406",
    "chip_busy_parity": "#daa47c",
    "path_conflict": "#c1121f",
    "path_reservation": "#ea819d",
    "transfer_of_others": "#173e68",
    "operand_transfer": "#6876f4",
    "compute": "#301422",
    "command_transfer": "#a6d1ef",
    "status": "#6b9ed7",
    "array_read": "#5ed196",
    "array_program": "#26796c",
    "suspended": "#b7d1c6",
    "retry": "#075046",
    "data_transfer": "#2b6cb0",
    "completion": "#97a9c6",
}
ENERGIES = {"array": "#26796c", "fabric": "#2b6cb0", "compute": "#301422", "static": "#adadad"}

KINDS = {"all": "#000000", "read": "#5ed196", "write": "#26796c"}

SEQUENTIAL = (
    *("#440154", "#482878", "#3e4989", "#31688e", "#26828e"),
    *("#1f9e89", "#35b779", "#6ece58", "#b5de2b", "#fde725"),
)

OWN = ("#399257", "#de4092", "#8579cb", "#985e21", "#c9b857", "#b53367")

_OTHER = "#666666"
_BOUNDS = ("crossbar",)


def fabrics(names: Iterable[str]) -> dict[str, str]:
    """Colours of fabrics that are shown together.

    A class's follows from its name, or is the next free one.
    """
    found: dict[str, str] = {}
    for name in names:
        if name in FABRICS or name in _BOUNDS:
            found[name] = FABRICS.get(name, _OTHER)
            continue
        first = crc32(name.encode()) % len(OWN)
        order = [*OWN[first:], *OWN[:first]]
        found.setdefault(name, next((colour for colour in order if colour not in found.values()), order[0]))
    return found


def fabric(name: str) -> str:
    return fabrics([name])[name]


def cause(name: str) -> str:
    return CAUSES.get(name, _OTHER)


def in_order(causes: Iterable[str]) -> list[str]:
    places = {name: place for place, name in enumerate(CAUSES)}
    return sorted(dict.fromkeys(causes), key=lambda name: places.get(name, len(places)))


def css(shown: Iterable[str] = ()) -> str:
    def block(colours: dict[str, str]) -> str:
        return "".join(f" --fabric-{name}: {colour};" for name, colour in colours.items())

    changed = {name: DARK[colour] for name, colour in FABRICS.items() if colour in DARK}
    return (
        f":root {{{block(FABRICS | fabrics(shown))} }}\n"
        f"@media screen and (prefers-color-scheme: dark) {{ :root:not(.light) {{{block(changed)} }} }}\n"
        f"@media screen {{ :root.dark {{{block(changed)} }} }}\n"
    )
