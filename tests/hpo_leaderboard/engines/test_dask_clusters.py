"""Dask clusters that are wrong: addresses, silent ports, no workers, workers with other code; and encrypted ones."""

import os
import socket
import subprocess
import sys
import threading

import psutil
import pytest
from dask_cluster import DaskCluster
from edited_project import Project
from misbehaving import Sampling  # noqa: F401 - the workers import it

from hpo_cli.main import main
from hpo_core import clusters
from hpo_core.clusters import ClusterLost, TlsFiles, check_address, connected
from hpo_core.errors import InvalidOption
from hpo_leaderboard.engines import make_engine
from hpo_leaderboard.engines.serial import SerialEngine
from hpo_leaderboard.engines.worker import worker_environment
from hpo_leaderboard.experiments.code.code_digest import forget_digests
from hpo_leaderboard.experiments.experiment import run_experiment
from hpo_leaderboard.experiments.suite import make_suite
from hpo_leaderboard.store.store import reading

pytest.importorskip("distributed")
WRONG = [
    "",
    "nonsense",
    "tcp://",
    "http://127.0.0.1:1",
    "tcp://127.0.0.1:abc",
    "127.0.0.1:99999",
    "tcp://[::1",
    "a b:1",
]


@pytest.mark.parametrize("address", WRONG)
def test_a_malformed_address_is_refused_with_an_example(address, tmp_path, capsys):
    with pytest.raises(InvalidOption, match=r"such as tcp://10\.0\.0\.1:8786"):
        make_engine("dask", address=address)
    where = ["--engine", "dask", "--address", address, "--store", str(tmp_path / "s.sqlite")]
    assert main(["leaderboard", "quick", *where]) == 2
    assert "such as tcp://10.0.0.1:8786" in capsys.readouterr().err
    assert not (tmp_path / "s.sqlite").exists()


def test_good_addresses_pass():
    for address in ("127.0.0.1:1", "tcp://host.example:8786", "tls://[::1]:65535"):
        check_address(address)


def serve(answer):
    """Port at which something answers a call, and it is no scheduler."""
    listening = socket.create_server(("127.0.0.1", 0))

    def talk():
        while True:
            connection, _ = listening.accept()
            connection.sendall(answer)
            calls.append(connection)

    calls = []
    threading.Thread(target=talk, daemon=True).start()
    return listening.getsockname()[1]


@pytest.mark.parametrize(
    "answer", [b"", b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n"], ids=["silent", "HTTP"]
)
def test_a_port_that_is_no_schedulers_is_given_up(answer, monkeypatch):
    monkeypatch.setattr(clusters, "CONNECTING", 1.0)
    port = serve(answer)
    with pytest.raises(ClusterLost, match=f"no Dask scheduler answers at 127.0.0.1:{port} "):
        list(make_engine("dask", address=f"127.0.0.1:{port}").results([]))


def test_files_for_encryption_must_be_there(tmp_path, capsys):
    files = TlsFiles(*(tmp_path / name for name in ("ca.pem", "cert.pem", "key.pem")))
    with pytest.raises(InvalidOption, match=r"there is no .*ca\.pem"):
        make_engine("dask", address="tls://127.0.0.1:1", tls=files)
    with pytest.raises(InvalidOption, match="go with an address tls://"):
        make_engine("dask", address="tcp://127.0.0.1:1", tls=files)
    with pytest.raises(InvalidOption, match="got none"):
        make_engine("dask", tls=files)
    small = ["leaderboard", "quick", "--benchmarks", "forrester", "--optimizers", "rs", "--store", str(tmp_path / "s")]
    assert main([*small, "--engine", "dask", "--address", "tls://127.0.0.1:1", "--tls-ca", "ca.pem"]) == 2
    assert "encryption needs all of --tls-ca, --tls-cert, --tls-key" in capsys.readouterr().err
    assert main([*small, "--tls-ca", "ca.pem", "--tls-cert", "c.pem", "--tls-key", "k.pem"]) == 2
    assert "go with --engine dask" in capsys.readouterr().err


def test_a_cluster_on_this_machine_is_seen_by_this_machine_alone():
    before = listening_addresses()
    with connected(None, 2) as client:
        opened = listening_addresses() - before
        assert sum(client.nthreads().values()) == 2
    assert {ip for ip, _ in opened} == {"127.0.0.1"}


def listening_addresses():
    sockets = psutil.Process().net_connections("tcp")
    return {tuple(one.laddr) for one in sockets if one.status == psutil.CONN_LISTEN}


@pytest.mark.slow
def test_a_script_without_a_guard_runs(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "from hpo_leaderboard.leaderboards import leaderboard\n"
        "print(leaderboard(['forrester'], ['rs', 'de'], seeds=2, trials=3, engine='dask')['n_runs'].tolist())\n"
    )
    done = subprocess.run([sys.executable, str(script)], env=worker_environment(), capture_output=True, text=True)
    assert done.stdout == "[2, 2]\n", done.stderr


# --- schedulers and workers as processes of their own ----------------------------------------------------------------

SEARCH = (
    "import dask_helper\nfrom misbehaving import Sampling\nclass Search(Sampling):\n    width = dask_helper.width\n"
)
OWN = make_suite("own", ["misbehaving:line"], ["dask_search:Search", "misbehaving:Sampling"], n_seeds=2, n_trials=3)


@pytest.fixture
def cluster():
    running = DaskCluster()
    running.scheduler()
    yield running
    running.close()


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path / "here")
    yield fill(Project(tmp_path / "here"), 1)
    forget_digests()
    sys.modules.pop("dask_search", None)
    sys.modules.pop("dask_helper", None)


def fill(project, width):
    project.write("dask_search.py", SEARCH)
    project.write("dask_helper.py", f"width = {width}\n")
    return project


@pytest.mark.slow
def test_workers_that_cannot_find_a_class_or_have_another_helper_are_refused(cluster, project, tmp_path, capsys):
    """The class is not there, then it is there with another helper, then it is the same."""
    path, others = tmp_path / "s.sqlite", os.pathsep.join(sys.path[1:])
    engine = make_engine("dask", address=cluster.address)
    outcomes = [
        (others, r"'dask_search:Search': UnknownName: .* no module 'dask_search'"),
        (
            f"{fill(Project(tmp_path / 'there'), 2).folder}{os.pathsep}{others}",
            r"'dask_search:Search' has code .* there",
        ),
    ]
    for search_path, words in outcomes:
        worker = cluster.worker(search_path)
        wait_for_workers(cluster, 1)
        with pytest.raises(InvalidOption, match=rf"(?s){words}.*Nothing was run"):
            run_experiment(OWN, path, engine)
        worker.terminate()
        worker.wait()
        wait_for_workers(cluster, 0)
    with reading(path) as store:
        assert store.keys() == []
    cluster.worker(f"{project.folder}{os.pathsep}{others}")
    done = run_experiment(OWN, path, engine)
    assert (done.n_present, done.failures) == (0, {})
    assert done.digest == run_experiment(OWN, tmp_path / "serial.sqlite", SerialEngine()).digest


def wait_for_workers(cluster, count):
    with connected(cluster.address, 1) as client:
        for _ in range(600):
            if len(client.nthreads()) == count:
                return
            threading.Event().wait(0.1)
    raise TimeoutError


@pytest.mark.slow
def test_a_cluster_without_workers_says_so_and_is_given_up(cluster, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(clusters, "PATIENCE", 3.0)
    suite = make_suite("own", ["forrester"], ["rs"], n_seeds=1, n_trials=3)
    with pytest.raises(ClusterLost, match="has had no workers"):
        run_experiment(suite, tmp_path / "s.sqlite", make_engine("dask", address=cluster.address))
    assert f"has no workers: waiting for some (`dask worker {cluster.address}` starts one)" in capsys.readouterr().err


@pytest.mark.slow
def test_an_edited_module_is_imported_anew_by_the_workers_of_the_next_experiment(cluster, project, tmp_path):
    """The Dask worker lives on, its processes do not."""
    cluster.worker(os.pathsep.join([str(project.folder), *sys.path[1:]]))
    wait_for_workers(cluster, 1)
    engine = make_engine("dask", address=cluster.address)
    for width in (1, 22):
        fill(project, width)
        sys.modules.pop("dask_search", None)
        sys.modules.pop("dask_helper", None)
        done = run_experiment(OWN, tmp_path / "s.sqlite", engine)
        assert done.failures == {}
    assert done.n_present == 2  # those of the other optimizer


@pytest.fixture(scope="module")
def certificates(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tls")
    subject = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-days", "1", "-nodes"]
    made = subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-keyout", "key.pem", "-out", "cert.pem", *subject],
        cwd=folder,
        capture_output=True,
    )
    if made.returncode != 0:
        pytest.skip("openssl makes no certificate here")
    return TlsFiles(folder / "cert.pem", folder / "cert.pem", folder / "key.pem")


@pytest.mark.slow
def test_an_encrypted_cluster_from_the_command_line(certificates, no_page, tmp_path, capsys):
    options = [
        part for pair in zip(("--tls-ca-file", "--tls-cert", "--tls-key"), certificates, strict=True) for part in pair
    ]
    cluster = DaskCluster("tls", map(str, options))
    try:
        cluster.scheduler()
        cluster.worker()
        small = ["--benchmarks", "forrester", "--optimizers", "rs", "--seeds", "2", "--trials", "3"]
        where = ["--engine", "dask", "--address", cluster.address, "--out", str(tmp_path)]
        files = [f"--tls-{name}={file}" for name, file in zip(("ca", "cert", "key"), certificates, strict=True)]
        assert main(["leaderboard", "quick", *small, *where, *files]) == 0
        assert main(["leaderboard", "quick", *small, *where]) == 2
        assert "it needs the certificates that it was started with (--tls-ca, --tls-cert" in capsys.readouterr().err
    finally:
        cluster.close()
