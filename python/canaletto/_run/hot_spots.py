"""Places of load: a channel of the FTL, a chip, each fabric's worst line (docs/explanation/numbering.md)."""

from canaletto._engine import ConfigError
from canaletto._io import _toml
from canaletto._run.config import Workload
from canaletto._run.together import naming

OWN = "own"

SHARES = {"channel": 0.5, "chip": 0.25, "worst-line": 0.5}
"""Share of the load on each place (`hot_spot.at`). Half of it on one chip would only fill that chip's wires."""

WORDS = {
    "channel": "half on a channel",
    "chip": "a quarter on a chip",
    "worst-line": "half on the worst line",
}


def on_place(workload: Workload, place: str, label: str) -> Workload:
    """A workload with a share of its load on a place; replaces its hot spots and skew.

    label: the option in messages. Raises ConfigError for a workload that cannot have one.
    """
    document = workload.to_dict()
    for flow in document["flow"]:
        if "synthetic" not in flow:
            raise ConfigError(f"{label}: flow {flow['name']!r}: replays a trace, expected generated requests")
        flow["synthetic"].pop("channel_skew", None)
        flow["synthetic"]["hot_spot"] = {"at": place, "share": SHARES[place]}
        flow["synthetic"].get("origin", {}).pop("channel_skew", None)
    with naming(f"{label}: {WORDS[place]}"):
        return Workload.from_toml(_toml.dumps(document), workload.label)


def places(workload: Workload, label: str) -> dict[str, Workload]:
    return {place: on_place(workload, place, label) for place in SHARES}
