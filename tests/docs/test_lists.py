import json
from pathlib import Path

from canaletto import _engine, traces
from canaletto._run import names

ROOT = Path(__file__).resolve().parents[2]


def test_every_fabric_is_named() -> None:
    text = (ROOT / "docs/explanation/fabrics.md").read_text()
    assert [name for name in names.fabrics() if f"`{name}`" not in text] == []


def test_the_demo_has_every_fabric_but_variants() -> None:
    text = (ROOT / "examples/demo.py").read_text()
    absent = [name for name in names.fabrics() if f'"{name}"' not in text]
    assert absent == ["omnibus-split", "mesh-2bit", "daisy-chain", "ring", "custom"]
    assert "canaletto._" not in text


def test_every_collection_policy_is_named() -> None:
    text = (ROOT / "docs/explanation/collection.md").read_text()
    policies = json.loads(_engine.schema("design"))["$defs"]["VictimPolicy"]["oneOf"]
    assert [policy["const"] for policy in policies if f"`{policy['const']}`" not in text] == []


def test_every_order_of_transactions_is_named() -> None:
    text = (ROOT / "docs/explanation/fairness.md").read_text()
    orders = json.loads(_engine.schema("design"))["$defs"]["Policy"]["oneOf"]
    assert [order["const"] for order in orders if f"`{order['const']}`" not in text] == []


def test_every_trace_format_has_a_row() -> None:
    text = (ROOT / "docs/reference/traces.md").read_text()
    assert [each["name"] for each in traces.formats() if f"\n| `{each['name']}` |" not in text] == []
