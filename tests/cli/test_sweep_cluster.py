import importlib.util
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sized
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import canaletto as cn
import pytest
from canaletto._sweeping.tasks import Task
from canaletto_extras.cluster import remote
from kill_sweep import COMMAND, table

SWEEP = """design = "performance-optimized"
workload = "t.trace"
[grid]
fabric = ["bus", "venice"]
seed = { from = 1, to = 6, step = 1 }
[cluster]
kind = "slurm"
jobs = 2
cores = 1
memory = "1GB"
[slurm]
partition = "short queue"
mem = "2G"
exclusive = true
setup = ["export FROM_SETUP=1"]
"""

DASHBOARD = "127.0.0.1:0"
"""Where Dask serves its pages: a free port, or simultaneous tests are warned of one that is taken."""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "sweep.toml").write_text(SWEEP)
    (tmp_path / "t.trace").write_text("".join(f"{100 * n} 0 {n * 7919 % 10**6 * 8} 8 {n % 2}\n" for n in range(3000)))
    return tmp_path


def results(folder: Path) -> dict[str, bytes]:
    return {file.stem: file.read_bytes().splitlines()[1] for file in folder.glob("points/*/[0-9a-f]*.json")}


def swept(home: Path, out: str, *words: str) -> "subprocess.Popen[str]":
    environment = {**os.environ, "CANALETTO_POINTS": str(home / f"points-{out}")}
    command = [COMMAND, "sweep", "sweep.toml", "--out", out, "--no-report", *words]
    return subprocess.Popen(command, cwd=home, env=environment, stderr=subprocess.PIPE, text=True)


def ok(process: "subprocess.Popen[str]") -> str:
    _, said = process.communicate()
    assert process.returncode == 0, said
    return str(said)


@contextmanager
def dask(home: Path) -> Iterator[tuple[str, list["subprocess.Popen[bytes]"]]]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    program = [sys.executable, "-m", "distributed.cli.dask_scheduler"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": home}
    place = ["--host", "127.0.0.1", "--no-dashboard", "--dashboard-address", DASHBOARD]
    processes = [subprocess.Popen([*program, *place, "--port", str(port)], **quiet)]
    try:
        while True:  # On a busy machine, with nothing compiled yet, it takes its time.
            with suppress(ConnectionRefusedError), socket.create_connection(("127.0.0.1", port)):
                break
            assert processes[0].poll() is None
            time.sleep(0.1)
        for number in range(2):
            words = [f"tcp://127.0.0.1:{port}", *place, "--nthreads", "1", "--no-nanny"]
            program = [sys.executable, "-m", "distributed.cli.dask_worker"]
            folder = ["--local-directory", str(home / f"worker{number}")]
            processes.append(subprocess.Popen([*program, *words, *folder], **quiet))
        yield f"dask://127.0.0.1:{port}", processes[1:]
    finally:
        for process in processes:
            process.kill()
            process.wait()


def test_dask_gives_the_same_bytes_though_a_worker_is_killed(home: Path) -> None:
    pytest.importorskip("distributed", reason="no dask.distributed (extra cluster)")
    ok(swept(home, "local"))
    with dask(home) as (address, workers):
        running = swept(home, "dask", "--on", address)
        while running.poll() is None and len(results(home / "dask")) < 3:
            time.sleep(0.01)
        workers[0].kill()
        assert "12 points, 12 of them computed now" in ok(running)
    assert results(home / "dask") == results(home / "local")
    assert len(results(home / "dask")) == 12
    assert table(home / "dask").equals(table(home / "local"))


def test_a_scheduler_that_cannot_be_reached(canaletto: Any, home: Path) -> None:
    pytest.importorskip("distributed", reason="no dask.distributed (extra cluster)")
    for where in ("dask://head", "tcp://head:8786"):
        canaletto.refuses("sweep", "sweep.toml", "--out", "a", "--on", where, says=(f"--on {where}: expected",))
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        where = f"dask://127.0.0.1:{closed.getsockname()[1]}"
        canaletto.refuses("sweep", "sweep.toml", "--out", "a", "--on", where, says=("no scheduler can be reached",))
    assert not (home / "a").exists()


def test_workers_with_another_version_are_refused() -> None:
    pytest.importorskip("distributed", reason="no dask.distributed (extra cluster)")
    from canaletto_extras.cluster import cluster

    version, build = remote.build()
    cluster._check_workers("dask://head:1", {"tcp://a": (version, build)})
    with pytest.raises(cn.ConfigError, match=r"worker tcp://b has canaletto 0\.0\.9 \(build ffff\), expected"):
        cluster._check_workers("dask://head:1", {"tcp://a": (version, build), "tcp://b": ("0.0.9", "ffff")})
    with pytest.raises(cn.ConfigError, match="no canaletto that answers"):
        cluster._check_workers("dask://head:1", {"tcp://b": ModuleNotFoundError("No module named 'canaletto'")})
    # One that joins later is refused by the task itself.
    sign, reason = remote.answer(Task("k", "", "", 1, 0, {}, build="ffff").to_dict(), {})
    assert sign == remote.FAILURE
    assert b"another build of canaletto" in reason


def test_traces_reach_workers_by_their_content(home: Path) -> None:
    from canaletto._sweeping import document
    from canaletto._sweeping.tasks import resolve

    points, _ = resolve(document.read(home / "sweep.toml"))
    task = points[0].task.to_dict()
    expected = remote.answer(task, {})
    assert expected[0] == remote.RECORD
    content = (home / "t.trace").read_bytes()
    (home / "t.trace").rename(home / "elsewhere")
    (digest,) = points[0].task.traces.values()
    assert remote.answer(task, {}) == (remote.MISSING, digest.encode())
    for contents in ({digest: content}, {}):
        sign, record = remote.answer(task, contents)
        assert (sign, record.splitlines()[1]) == (remote.RECORD, expected[1].splitlines()[1])
    # Something else in its place is none of it.
    shutil.rmtree(home / "cache")
    (home / "t.trace").write_text("1000 0 0 8 1\n")
    assert remote.answer(task, {}) == (remote.MISSING, digest.encode())


def test_a_trace_is_sent_to_workers_that_lack_it(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    distributed = pytest.importorskip("distributed", reason="no dask.distributed (extra cluster)")
    from canaletto._sweeping import document
    from canaletto._sweeping.tasks import resolve
    from canaletto_extras.cluster import cluster

    points, _ = resolve(document.read(home / "sweep.toml"))
    tasks = [point.task for point in points[:3]]
    expected = [remote.answer(task.to_dict(), {})[1] for task in tasks]
    there = remote._is
    kept = home / "cache"
    # Workers of the same machine see the same files: here they do not.
    monkeypatch.setattr(remote, "_is", lambda file, digest: Path(file).is_relative_to(kept) and there(file, digest))
    machines = distributed.LocalCluster(1, threads_per_worker=1, processes=False, dashboard_address=DASHBOARD)
    with machines, distributed.Client(machines, set_as_default=False) as client:
        done = {each.task.key: each for each in cluster.Dask(client, cluster.Watch(print)).carry_out(tasks)}
    assert [*kept.glob("canaletto/traces/*")]
    for task, record in zip(tasks, expected, strict=True):
        assert done[task.key].record.splitlines()[1] == record.splitlines()[1]


def test_whoever_waits_for_workers_that_left_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    from canaletto_extras.cluster import cluster

    told: list[str] = []
    watch = cluster.Watch(told.append)
    for second in range(0, 500, 2):
        monkeypatch.setattr(cluster.time, "monotonic", lambda second=second: second)
        # From the first minute to the fifth there is none, and then one is gone for a moment.
        watch.look(0 if 60 <= second < 300 or second == 400 else 4)
    waited = [text.removeprefix("no worker has been there for ").partition(":")[0] for text in told]
    assert waited == ["60 s", "120 s"]


def test_workers_are_looked_at_while_nothing_ends(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    distributed = pytest.importorskip("distributed", reason="no dask.distributed (extra cluster)")
    from canaletto._sweeping import document
    from canaletto._sweeping.tasks import resolve
    from canaletto_extras.cluster import cluster

    points, _ = resolve(document.read(home / "sweep.toml"))
    monkeypatch.setattr(cluster, "_ASK_AGAIN_S", 0)
    machines = distributed.LocalCluster(n_workers=0, threads_per_worker=1, processes=False, dashboard_address=DASHBOARD)
    seen: list[int] = []

    class Watch(cluster.Watch):
        def look(self, threads: int) -> None:
            seen.append(threads)
            if len(seen) == 3:
                machines.scale(1)

    with machines, distributed.Client(machines, set_as_default=False) as client:
        (done,) = cluster.Dask(client, Watch(print)).carry_out([points[0].task])
    assert done.record
    assert seen[:3] == [0, 0, 0]


def sweep_of_jobs(home: Path, **keys: int) -> None:
    ours = "".join(f"{key} = {value}\n" for key, value in keys.items())
    ours += f'interface = "lo"\nscheduler_options = {{ dashboard_address = "{DASHBOARD}" }}\n'
    (home / "sweep.toml").write_text(SWEEP.replace("cores = 1\n", f"cores = 1\n{ours}"))


def needs_jobqueue() -> None:
    """Skips a test without dask-jobqueue. It is not loaded here: it takes SIGINT for itself when it is."""
    if importlib.util.find_spec("dask_jobqueue") is None:
        pytest.skip("no dask-jobqueue (extra cluster)")


JOB = """# Runs a script as a job beside it, as sbatch does with a file: from a copy, since the file may then go.
cp "$1" "$0.script.$$"
setsid bash "$0.script.$$" > /dev/null 2>&1 &
echo $! >> "$0.jobs"
echo "Submitted batch job $!"
"""


def stand_in(folder: Path, commands: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Stand-ins for a batch system's commands; each notes that it was called."""
    folder.mkdir()
    for name, text in commands.items():
        (folder / name).write_text(f'#!/bin/bash\ntouch "$0.called"\n{text}\n')
        (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")


def test_workers_that_are_jobs(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    needs_jobqueue()
    ok(swept(home, "local"))
    queue = home / "queue"
    stand_in(queue, {"sbatch": JOB, "scancel": 'kill "$@"'}, monkeypatch)
    # Nobody sends a second job where a machine is so busy that the first finds its scheduler too late.
    sweep_of_jobs(home, death_timeout=240)
    try:
        assert "12 points, 12 of them computed now" in ok(swept(home, "jobs", "--on", "cluster"))
    finally:
        jobs = (queue / "sbatch.jobs").read_text().split()
        for job in jobs:
            with suppress(ProcessLookupError):
                os.kill(int(job), signal.SIGTERM)
    assert jobs
    assert results(home / "jobs") == results(home / "local")


class Queue:
    def __init__(self) -> None:
        self.worker_spec = {f"SLURMCluster-{number}": {} for number in (0, 1, 2, 10)}
        self.scheduler_info: dict[str, Any] = {"workers": {}}
        self.asked: list[Any] = []

    def sync(self, does: Any, *given: Any) -> None:
        does(*given)

    def scale_down(self, jobs: list[str]) -> None:
        self.asked.append(jobs)

    def scale(self, jobs: int) -> None:
        self.asked.append(jobs)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Any:
    from canaletto_extras.cluster import cluster

    now = [0]
    monkeypatch.setattr(cluster.time, "monotonic", lambda: now[0])
    return lambda seconds: now.append(now.pop() + seconds)


def test_refused_jobs_are_told_as_they_come(clock: Any) -> None:
    from canaletto_extras.cluster import jobs

    told: list[str] = []
    refusals = ["no room", ""]
    queue = Queue()
    queue.scheduler_info["workers"] = {"tcp://a": {"name": "SLURMCluster-0"}}
    watch = jobs._JobWatch("s.toml:6: cluster", queue, 4, refusals, told.append)
    for more in ([], [], ["no right"], []):
        refusals += more
        watch.look(1)
    assert told == [
        "2 of 4 jobs not taken: no room; the sweep continues with the others",
        "1 of 4 jobs not taken: no right; the sweep continues with the others",
    ]
    # The last one ended, and is not taken again.
    queue.scheduler_info["workers"].clear()
    watch.look(0)
    refusals.append("")
    with pytest.raises(cn.SimulationError, match="cluster: no worker is left and no job is taken: no reason given;"):
        watch.look(0)


def test_jobs_that_ended_are_submitted_again(clock: Any) -> None:
    from canaletto_extras.cluster import jobs

    told: list[str] = []
    queue = Queue()
    watch = jobs._JobWatch("cluster", queue, 4, [], told.append)
    # Of one job two processes; the third never comes.
    for names in (["SLURMCluster-10-0", "SLURMCluster-10-1"], ["SLURMCluster-0"], []):
        queue.scheduler_info["workers"] = {f"tcp://{name}": {"name": name} for name in names}
        watch.look(len(names))
    clock(59)
    watch.look(0)
    assert told == []
    clock(1)
    # One that joined after the last count has not ended.
    queue.scheduler_info["workers"] = {"tcp://b": {"name": "SLURMCluster-1"}}
    watch.look(0)
    assert told == []
    queue.scheduler_info["workers"].clear()
    watch.look(0)
    clock(60)
    watch.look(0)
    assert queue.asked == [["SLURMCluster-0", "SLURMCluster-1", "SLURMCluster-10"], 4]
    clock(60)
    watch.look(0)
    assert told == [
        "no worker is left: 3 of 4 jobs ended, submitted again now; Ctrl-C gives up",
        "no worker has joined after 120 s: jobs wait in the queue, or have ended and their own output says why; "
        "Ctrl-C gives up",
    ]
    assert len(queue.asked) == 2


IMPATIENT = """import sys
from canaletto_extras.cluster import cluster
cluster.TELL_S = 1
sys.argv[0] = "canaletto"
from canaletto_command import main
main()
"""


def test_a_sweep_outlives_its_jobs_as_long_as_some_are_taken(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    needs_jobqueue()
    queue = home / "queue"
    twice = 'if [ "$(wc -l < "$0.jobs")" = 2 ]; then echo "sbatch: error: nothing is left" >&2; exit 1; fi\n'
    # Jobs that have ended cannot be cancelled.
    stand_in(queue, {"sbatch": twice + JOB, "scancel": "exit 1"}, monkeypatch)
    (queue / "sbatch.jobs").touch()
    sweep_of_jobs(home, death_timeout=240)
    # Two processes in one job, of which Dask does not notice that it ended; and points enough for all of the test.
    text = (home / "sweep.toml").read_text().replace("jobs = 2\ncores = 1", "jobs = 1\ncores = 2")
    (home / "sweep.toml").write_text(text.replace("to = 6", "to = 1000"))
    words = ["sweep", "sweep.toml", "--out", "a", "--no-report", "--on", "cluster"]
    environment = {**os.environ, "CANALETTO_POINTS": str(home / "points-a")}
    command = [sys.executable, "-c", IMPATIENT, *words]
    with subprocess.Popen(command, cwd=home, env=environment, stderr=subprocess.PIPE, text=True) as running:
        try:
            for jobs in (1, 2):
                # Points of a job that has ended are all kept before the next one is submitted.
                await_more(running, lambda: submitted(queue), jobs - 1)
                await_more(running, lambda: results(home / "a"), len(results(home / "a")))
                end_jobs(queue)
            _, said = running.communicate()
        finally:
            end_jobs(queue)
            running.kill()
    assert running.returncode == 1, said
    again, once_more, over = [line for line in said.splitlines() if "no worker is left" in line]
    assert again == once_more == "canaletto: no worker is left: 1 of 1 jobs ended, submitted again now; Ctrl-C gives up"
    assert "cluster: no worker is left and no job is taken: sbatch: error: nothing is left; the same" in over


def await_more(running: "subprocess.Popen[str]", found: Callable[[], Sized], number: int) -> None:
    while running.poll() is None and len(found()) <= number:
        time.sleep(0.01)


def submitted(queue: Path) -> list[str]:
    return (queue / "sbatch.jobs").read_text().split()


def end_jobs(queue: Path) -> None:
    for job in submitted(queue):
        with suppress(ProcessLookupError):
            os.killpg(int(job), signal.SIGKILL)


def test_ctrl_c_while_jobs_are_queued(canaletto: Any, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    needs_jobqueue()
    queue = home / "queue"
    stand_in(queue, {"sbatch": 'echo "Submitted batch job 7"', "scancel": "true"}, monkeypatch)
    sweep_of_jobs(home)
    words = ("sweep", "sweep.toml", "--out", "a", "--no-report", "--on", "cluster")
    answer = canaletto.interrupt(*words, when=lambda _: (queue / "sbatch.called").exists())
    assert answer.status == 130, answer.err
    assert answer.err == "canaletto: interrupted; nothing was written\n"
    assert (queue / "scancel.called").exists(), "jobs are left in the queue"


def test_whoever_waits_for_a_first_worker_is_told() -> None:
    from canaletto_extras.cluster import jobs

    class Client:
        def __init__(self) -> None:
            self.now = 0

        def wait_for_workers(self, workers: int, timeout: int) -> None:
            self.now += timeout
            if self.now < 290:
                raise TimeoutError

    told: list[str] = []
    jobs._await_worker(Client(), lambda: None, told.append)
    waited = [text.removeprefix("no worker has joined after ").partition(":")[0] for text in told]
    assert waited == ["60 s", "120 s", "240 s"]


@pytest.mark.parametrize(
    ("sbatch", "says"),
    [
        ("echo 'sbatch: error: no partition of this name' >&2; exit 1", "sbatch: error: no partition of this name"),
        ("exit 1", "no reason given"),
        ("echo Nothing was submitted", "Could not parse job id"),
        (None, "No such file or directory: 'sbatch'"),
    ],
)
def test_jobs_that_are_refused(
    sbatch: str | None, says: str, canaletto: Any, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    needs_jobqueue()
    if sbatch is not None:
        stand_in(home / "queue", {"sbatch": sbatch, "scancel": "true"}, monkeypatch)
    elif shutil.which("sbatch"):
        pytest.skip("Slurm is installed")
    sweep_of_jobs(home)
    words = ("sweep", "sweep.toml", "--out", "a", "--on", "cluster")
    canaletto.refuses(*words, says=("sweep.toml:6: cluster: no job is taken: ", says))
    assert not (home / "a").exists()


SBATCH = """#!/bin/bash
# Runs an array of jobs, or a single one, as sbatch does: the script comes on standard input.
cat > "$0.script.$$"
bash -n "$0.script.$$" || exit 1
printf '%s\\n' "$@" >> "$0.options"
array=""
for word in "$@"; do case "$word" in --array=*) array=${word#--array=1-};; esac; done
if [ -n "$array" ]; then
    for number in $(seq "$array"); do SLURM_ARRAY_TASK_ID=$number bash "$0.script.$$" || exit 1; done
else
    bash "$0.script.$$" || exit 1
fi >&2
echo "17;cluster"
"""


def test_an_array_of_jobs_gives_the_same_bytes(canaletto: Any, home: Path) -> None:
    ok(swept(home, "local"))
    assert "wrote a/slurm.sh" in canaletto.ok("sweep", "sweep.toml", "--out", "a", "--slurm", 2).err
    script = home / "a" / "slurm.sh"
    subprocess.run(["bash", "-n", script], check=True)
    if shutil.which("shellcheck"):
        subprocess.run(["shellcheck", script], check=True)
    stub = home / "bin" / "sbatch"
    stub.parent.mkdir()
    stub.write_text(SBATCH)
    stub.chmod(stub.stat().st_mode | stat.S_IXUSR)
    environment = {**os.environ, "PATH": f"{stub.parent}:{os.environ['PATH']}", "CANALETTO_POINTS": str(home / "other")}
    subprocess.run(["bash", script], check=True, env=environment, cwd="/", stderr=subprocess.DEVNULL)
    assert table(home / "a").equals(table(home / "local"))
    options = (home / "bin" / "sbatch.options").read_text().splitlines()
    assert {"--array=1-2", "--partition=short queue", "--mem=2G", "--exclusive", "--dependency=afterany:17"} <= {
        *options
    }


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ('array = "1-3"', "slurm.array: expected a long option of sbatch"),
        ('"-p" = "short"', "slurm.-p: expected a long option of sbatch"),
        ("time = 1.5", "slurm.time: got 1.5"),
        ("setup = 3", "slurm.setup: got 3"),
        ('setup = ["JOB"]', "ends the script's text"),
    ],
)
def test_options_of_sbatch_that_are_none(table: str, says: str, canaletto: Any, home: Path) -> None:
    (home / "sweep.toml").write_text(SWEEP.partition("[slurm]")[0] + f"[slurm]\n{table}\n")
    canaletto.refuses("sweep", "sweep.toml", "--out", "a", "--slurm", 3, says=(says,))
    assert not (home / "a").exists()


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ("", "expected a table [cluster]"),
        ('[cluster]\nkind = "local"\njobs = 2', "kind: got 'local', expected one of slurm, pbs, lsf"),
        ('[cluster]\nkind = "slurm"\njobs = 0', "jobs: got 0"),
        (
            '[cluster]\nkind = "slurm"\njobs = 1\ncores = 1\nmemory = "1GB"\nnosuch = 1',
            "expected keys of dask-jobqueue",
        ),
    ],
)
def test_clusters_that_are_none(table: str, says: str, canaletto: Any, home: Path) -> None:
    needs_jobqueue()
    (home / "sweep.toml").write_text(SWEEP.partition("[cluster]")[0] + table)
    canaletto.refuses("sweep", "sweep.toml", "--out", "a", "--on", "cluster", says=(says,))
    assert not (home / "a").exists()
