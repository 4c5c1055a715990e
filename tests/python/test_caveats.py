import canaletto as cn
import numpy as np
import pytest
from canaletto._io.units import scaled
from canaletto._report import account, tables, terminal
from canaletto._run import caveats, simulate, warmup

SMALL = {"geometry.channels": 2, "geometry.chips_per_channel": 2}


def served(**keys: object) -> cn.Result:
    reads = {"requests": 4000, "read_share": 1.0, "size": "4KiB", **keys}
    text = "\n".join(f"{key} = {value!r}".replace("'", '"') for key, value in reads.items())
    workload = cn.Workload.from_toml(f'name = "w"\n[[flow]]\nname = "a"\n[flow.synthetic]\n{text}\n', "w.toml")
    return cn.run(cn.design("performance-optimized").replace(**SMALL), workload)


def test_saturation_is_said_first_with_what_limits() -> None:
    run = served(inter_arrival="1us")
    assert run.load.saturated
    assert run.load.offered_iops == pytest.approx(1e6, rel=0.05)
    assert run.load.served_iops == pytest.approx(run.iops)
    assert run.load.bottleneck.part.startswith("channel")
    assert run.load.bottleneck.use > 0.75
    (said,) = caveats.of(run)
    assert said.startswith("Saturated: ")
    assert f"Busiest: {run.load.bottleneck.part}" in said
    lines = terminal.text(run).splitlines()
    assert lines[2].startswith("Saturated: ")


def test_a_drive_that_keeps_up_is_not_saturated() -> None:
    run = served(inter_arrival="20us")
    assert not run.load.saturated
    assert run.load.offered_iops == pytest.approx(50e3, rel=0.1)
    assert caveats.of(run) == []
    assert f"busiest  {run.load.bottleneck.part}" in terminal.text(run)


def test_a_closed_loop_offers_no_rate() -> None:
    run = served(queue_depth=64)
    assert run.load.offered_iops is None
    assert run.load.backlog_growth is None
    assert not run.load.saturated


@pytest.mark.parametrize(("blocks", "is_small"), [(64, True), (128, False)])
def test_a_drive_too_small_for_the_computed_state_says_so(blocks: int, is_small: bool) -> None:
    keys = {"geometry.blocks_per_plane": blocks, "geometry.pages_per_block": 64, "precondition.kind": "steady"}
    design = cn.design("performance-optimized").replace(**SMALL, **keys, **{"ftl.overprovisioning": 0.1})
    run = cn.run(design, cn.workload("hm_0", requests=50), records=False)
    said = [sentence for sentence in caveats.of(run) if sentence.startswith("Too small a drive")]
    assert len(said) == is_small
    assert all("expected at least 4" in sentence and "--precondition replay" in sentence for sentence in said)


def test_writes_that_never_collect_are_no_steady_figure() -> None:
    run = served(read_share=0.0, queue_depth=4)
    (said,) = caveats.of(run)
    assert said.startswith("No block was collected")
    assert said.endswith("Begin with a drive in steady state (--precondition steady), or write more.")
    (said,) = caveats.of(run.to_dict() | {"precondition": {"kind": "steady"}})
    assert said.endswith("does not show. Write more.")
    steady = {"kind": "steady", "blocks": {"free": 8, "total": 64}, "pages": 64 * 32}
    (said,) = caveats.of(run.to_dict() | {"precondition": steady})
    pages = run.flash.host_pages
    assert said.endswith(f"Write more: about {scaled(8 * 32 * run.request_counts.completed / pages)} requests in all.")
    in_place = cn.run(
        cn.design("performance-optimized").replace(**SMALL, **{"ftl.mapping": "in-place"}), "hm_0", records=False
    )
    assert caveats.of(in_place) == []


def test_few_collected_blocks_are_too_few() -> None:
    flash = {"host_pages": 5, "erases": 3, "blocks": {"open": 1, "full": 9}}
    (said,) = caveats.of({"flash": flash, "map": {"chips": [{}] * 4}})
    assert said.startswith("Only 3 blocks of 4 chips")
    assert caveats.of({"flash": flash | {"erases": 4}, "map": {"chips": [{}] * 4}}) == []


def test_a_growing_backlog_is_too_short_a_run() -> None:
    load = {"saturated": False, "backlog_growth": 1.9}
    (said,) = caveats.of({"load": load, "series": {"outstanding": [4.0, 8.0]}})
    assert said.startswith("Too short for a steady figure: 1.90 times")
    assert caveats.of({"load": load, "series": {"outstanding": [0.1, 0.2]}}) == []


def test_root_causes_add_up_to_the_latency_in_every_row() -> None:
    run = served(queue_depth=32)
    roots = [name for name in run.requests.columns if name.startswith("root_")]
    sums = run.requests.select(pl_sum(roots)).to_series().to_numpy()
    assert np.allclose(sums, run.requests["latency_us"].to_numpy(), rtol=0, atol=1e-6)
    assert sum(account.table(run, "all").values()) == pytest.approx(run.latency_us.all.mean)
    assert account.main(run) == "root_cause_us"
    assert account.main({"blame_us": {}}) == "blame_us"
    assert account.table(run, "all", "blame_us") == pytest.approx(run.blame_us.all.to_dict())
    assert run.root_causes["mean_share"].sum() == pytest.approx(1.0)


def pl_sum(names: list[str]) -> object:
    import polars as pl

    return pl.sum_horizontal(names)


def test_mser_finds_where_a_transient_ends() -> None:
    noise = np.random.default_rng(7).exponential(1.0, 10_000)
    steady = warmup.mser(noise)
    assert steady is not None
    assert steady < 1000
    noise[:1500] += np.linspace(10, 0, 1500)
    found = warmup.mser(noise)
    assert found is not None
    assert 1200 <= found <= 1600
    assert warmup.mser(np.arange(1000.0)) is None
    assert warmup.mser(np.ones(30)) is None


def test_an_automatic_warm_up_is_left_out_and_told() -> None:
    design = cn.design("performance-optimized").replace(**SMALL)
    workload = cn.Workload.from_toml(
        'name = "w"\n[[flow]]\nname = "a"\n[flow.synthetic]\n'
        'requests = 4000\nread_share = 1.0\nsize = "4KiB"\nqueue_depth = 64\n',
        "w.toml",
    )
    run = cn.run(design, workload, warmup="auto")
    assert run.options["warmup"] < 2000
    again = cn.run(design, workload, warmup=run.options["warmup"])
    assert again.latency_us.to_dict() == run.latency_us.to_dict()


def test_a_run_that_does_not_come_to_rest_has_no_warm_up() -> None:
    with pytest.raises(cn.ConfigError, match="do not settle in the first half: expected a longer run"):
        cn.run(
            cn.design("performance-optimized").replace(**SMALL),
            cn.Workload.from_toml(
                'name = "w"\n[[flow]]\nname = "a"\n[flow.synthetic]\n'
                'requests = 4000\nread_share = 1.0\nsize = "4KiB"\ninter_arrival = "1us"\n',
                "w.toml",
            ),
            warmup="auto",
        )


def test_a_dry_run_says_if_too_much_is_asked() -> None:
    design = cn.design("performance-optimized")

    def asked(keys: str) -> str:
        text = f'name = "w"\n[[flow]]\nname = "a"\n[flow.synthetic]\nrequests = 10\nsize = "4KiB"\n{keys}\n'
        return tables.overload(simulate.inspect(design, cn.Workload.from_toml(text, "w.toml")))

    said = asked('read_share = 1.0\ninter_arrival = "0.5us"')
    assert said.startswith("Saturated: 8.19 GB/s of reads are offered, and host link allows 6.56 GB/s.")
    assert asked('read_share = 1.0\ninter_arrival = "1us"') == ""
    assert asked("read_share = 1.0\nqueue_depth = 1") == ""
    assert asked('inter_arrival = "0.5us"\nread_share = 0.0').startswith("Saturated: 8.19 GB/s of writes")


def test_chips_that_are_cut_off_are_said_first() -> None:
    design = cn.design("performance-optimized", **{"fabric.failures.buses": 2, "fabric.failures.spare_chips": False})
    run = cn.run(design, cn.workload("hm_0", requests=2000))
    failed = run.cut_off.requests_failed
    assert failed == run.request_counts.failed > 0
    said = caveats.of(run)[0]
    assert said.startswith(f"Failed parts of the interconnect cut 16 chips off: {failed} requests failed because of it")
    assert said in " ".join(terminal.text(run).split())
    parity = {"ftl.parity": "channel", "ftl.superblock": "drive", "ftl.overprovisioning": 0.3, "gc.reserved_blocks": 2}
    with_parity = design.replace(**parity, **{"fabric.failures.buses": 1})
    assert cn.run(with_parity, cn.workload("hm_0", requests=500)).cut_off.requests_failed == 0
