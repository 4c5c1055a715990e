"""One colour, one meaning, in every chart, map and table.

Fabrics have the colour-blind-safe colours of Okabe and Ito. Causes have families: greys at the host, browns in the
controller, purples for waiting at chips, yellows for garbage collection, crimson and pink for paths, blues on the
wires, greens in the array; what follows one another in a stack also differs in lightness.
"""

from collections.abc import Iterable
from zlib import crc32

FABRICS = {
    "bus": "#000000",
    "sca": "#999933",
    "packetized": "#E69F00",
    "omnibus": "#56B4E9",
    "omnibus-split": "#0072B2",
    "mesh": "#CC79A7",
    "mesh-2bit": "#8a6d9b",
    "venice": "#D55E00",
    "scheduled-mesh": "#6a3d9a",
    "clusters": "#882255",
    "custom": "#44AA99",
    "ideal": "#009E73",
}

DARK = {"#000000": "#e6e6e6"}
"""Colours that a dark page shows otherwise."""

CAUSES = {
    "host_queue": "#dcdcdc",
    "host_link": "#adadad",
    "device_queue": "#808080",
    "firmware": "#dcc9a8",
    "system_bus": "#b8935c",
    "dram": "#8c6a3a",
    "ecc": "#cdb088",
    "cache": "#a5764a",
    "write_buffer": "#5f3f1c",
    "flush": "#efe3cc",
    "mapping_miss": "#9b4f1f",
    "same_page_write": "#efe0f3",
    "read_modify_write": "#d3b5dd",
    "chip_busy_user": "#b48cc4",
    "chip_busy_mapping": "#6a3d8a",
    "free_blocks": "#f7e9a0",
    "chip_busy_gc_read": "#f2c80f",
    "chip_busy_gc_program": "#b38f00",
    "chip_busy_erase": "#544a00",
    "chip_busy_folding": "#d98e04",
    "chip_busy_parity": "#e6a97a",
    "path_conflict": "#c1121f",
    "path_reservation": "#f48fb1",
    "transfer_of_others": "#14406e",
    "command_transfer": "#a8d1ee",
    "status": "#6f9ac4",
    "array_read": "#7fd0b5",
    "array_program": "#1f7f73",
    "suspended": "#c9e7dc",
    "retry": "#0b4f46",
    "data_transfer": "#2b6cb0",
    "completion": "#97a3b0",
}
"""In the order in which a request meets them, which is the order of stacks."""

ENERGIES = {"array": "#1f7f73", "fabric": "#2b6cb0", "static": "#adadad"}

KINDS = {"all": "#000000", "read": "#7fd0b5", "write": "#1f7f73"}

SEQUENTIAL = (
    *("#440154", "#482878", "#3e4989", "#31688e", "#26828e"),
    *("#1f9e89", "#35b779", "#6ece58", "#b5de2b", "#fde725"),
)
"""Viridis, from nothing to the most."""

OWN = ("#2E8B57", "#CC6677", "#7B68C8", "#AA7744", "#B8A11F", "#C44AA0")
"""Colours of user-defined fabrics."""

_OTHER = "#666666"
_BOUNDS = ("crossbar",)


def fabrics(names: Iterable[str]) -> dict[str, str]:
    """Colours of fabrics that are shown together, on a light page.

    That of a class follows from its name, or is the next one if another class has it already.
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
    """A fabric's colour on a light page, where it meets no user-defined other."""
    return fabrics([name])[name]


def cause(name: str) -> str:
    """A cause's colour, the same on every page."""
    return CAUSES.get(name, _OTHER)


def in_order(causes: Iterable[str]) -> list[str]:
    """Causes in the order of stacks; unknown ones come last."""
    places = {name: place for place, name in enumerate(CAUSES)}
    return sorted(dict.fromkeys(causes), key=lambda name: places.get(name, len(places)))


def css(shown: Iterable[str] = ()) -> str:
    """The fabrics' colours as custom properties, light and dark, and those of others that are shown."""

    def block(colours: dict[str, str]) -> str:
        return "".join(f" --fabric-{name}: {colour};" for name, colour in colours.items())

    changed = {name: DARK[colour] for name, colour in FABRICS.items() if colour in DARK}
    return (
        f":root {{{block(FABRICS | fabrics(shown))} }}\n"
        f"@media screen and (prefers-color-scheme: dark) {{ :root:not(.light) {{{block(changed)} }} }}\n"
        f"@media screen {{ :root.dark {{{block(changed)} }} }}\n"
    )
