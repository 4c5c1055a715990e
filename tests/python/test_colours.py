from itertools import pairwise

import pytest
from canaletto._report import bars, colours
from colour_vision import VISIONS, difference, lab, nearest

EVERY = pytest.mark.parametrize("vision", VISIONS)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        # Pairs 1, 7, 13, 16, 20 and 34 of Sharma, Wu and Dalal (2005).
        ((50, 2.6772, -79.7751), (50, 0, -82.7485), 2.0425),
        ((50, 0, 0), (50, -1, 2), 2.3669),
        ((50, -0.001, 2.49), (50, 0.0009, -2.49), 4.8045),
        ((50, 2.5, 0), (50, 0, -2.5), 4.3065),
        ((50, 2.5, 0), (58, 24, 15), 19.4535),
        ((2.0776, 0.0795, -1.135), (0.9033, -0.0636, -0.5514), 0.9082),
    ],
)
def test_the_difference_is_the_published_one(
    first: tuple[float, float, float], second: tuple[float, float, float], expected: float
) -> None:
    assert difference(first, second) == pytest.approx(expected, abs=1e-4)
    assert difference(second, first) == pytest.approx(expected, abs=1e-4)


def test_the_simulation_confuses_what_colour_blind_people_confuse() -> None:
    reds = {"red": "#c00000", "green": "#5a6f00"}
    usual, protanopia = (nearest(reds, vision)[0] for vision in ("usual", "protanopia"))
    assert usual > 40
    assert protanopia < usual / 3
    for vision in VISIONS:
        assert lab("#808080", vision)[1:] == pytest.approx((0, 0), abs=0.1)


@EVERY
@pytest.mark.parametrize("dark", [False, True])
def test_fabrics_differ(vision: str, dark: bool) -> None:
    shown = {**colours.FABRICS, "crossbar": colours.fabric("crossbar")}
    if dark:
        shown = {name: colours.DARK.get(colour, colour) for name, colour in shown.items()}
    assert nearest(shown, vision) > (10,)


@EVERY
def test_user_defined_fabrics_differ(vision: str) -> None:
    own = {f"own {number}": colour for number, colour in enumerate(colours.OWN)}
    assert nearest(own, vision) > (10,)
    assert nearest({**colours.FABRICS, **own}, vision) > (6,)


@EVERY
def test_causes_differ_and_neighbours_of_a_stack_most(vision: str) -> None:
    assert nearest(colours.CAUSES, vision) > (6.5,)
    names = list(colours.CAUSES)
    for step in (1, 2):
        for a, b in zip(names, names[step:], strict=False):
            assert nearest({name: colours.CAUSES[name] for name in (a, b)}, vision) > (10,), (a, b)


@EVERY
@pytest.mark.parametrize("palette", [colours.ENERGIES, colours.KINDS])
def test_small_palettes_differ(vision: str, palette: dict[str, str]) -> None:
    assert nearest(palette, vision) > (15,)


@EVERY
def test_the_scale_of_maps_grows_lighter(vision: str) -> None:
    lightness = [lab(colour, vision)[0] for colour in colours.SEQUENTIAL]
    assert all(high > low + 5 for low, high in pairwise(lightness))


def test_a_bar_that_is_not_to_scale_has_a_break() -> None:
    runs = [
        {"fabric": name, "blame_us": {"all": {"array_read": long}}, "latency_us": {"all": {"mean": long}}}
        for name, long in (("bus", 10.0), ("mesh", 12.0), ("venice", 900.0))
    ]
    spec = bars.causes(runs, "all")
    assert spec is not None
    parts, gap, ends = (spec["datasets"][layer["data"]["name"]] for layer in spec["layer"])
    assert [row["fabric"] for row in gap] == ["venice"]
    end = next(row["length"] for row in ends if row["fabric"] == "venice")
    assert 0.8 * end < gap[0]["length"] < end
    assert spec["layer"][1]["mark"]["color"] == colours.PAPER
    scaled = bars.causes(runs, "all", to_scale=True)
    assert scaled is not None
    assert len(scaled["layer"]) == 2
    assert len(parts) == 3
