"""Servers that Dagster works with: a PostgreSQL cluster and a Redis broker of the run's own."""

from __future__ import annotations

import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from resources_graph_core.graph.binaries import locate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

START_SECONDS = 120
NO_POSTGRES = "PostgreSQL is not installed; make test-system installs it"


def free_port() -> int:
    """A port of this machine that nobody listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


def postgres_programs() -> Path | None:
    """Where Debian, or whoever, put the newest PostgreSQL's programs; None where there are none."""
    debians = Path("/usr/lib/postgresql").glob("*/bin/initdb")
    found = sorted(debians, key=lambda path: float(path.parts[-3]), reverse=True)
    on_path = shutil.which("initdb")
    candidates = [path.parent for path in found] + ([Path(on_path).parent] if on_path else [])
    return next((one for one in candidates if (one / "postgres").exists()), None)


@contextmanager
def postgres(programs: Path) -> Iterator[dict[str, str]]:
    """A cluster on loopback while the block lasts: the variables that ``deploy/postgres`` reads.

    PostgreSQL refuses to run as root, so that it is then run as Debian's user for it.
    """
    folder = Path(tempfile.mkdtemp(prefix="rg-postgres-"))
    user = pwd.getpwnam("postgres") if os.getuid() == 0 else None
    password = secrets.token_hex(16)
    written = folder / "password"
    written.touch(mode=0o600)
    written.write_text(password, "utf-8")
    if user is not None:
        for path in (folder, written):
            os.chown(path, user.pw_uid, user.pw_gid)
    run_as = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []} if user else {}
    data, port = folder / "data", free_port()
    process: subprocess.Popen[bytes] | None = None
    try:
        subprocess.run(
            [
                programs / "initdb",
                *("--pgdata", data, "--username", "dagster", "--pwfile", written),
                *("--auth", "scram-sha-256", "--no-sync", "--no-instructions"),
            ],
            check=True,
            cwd=folder,
            stdout=subprocess.DEVNULL,
            **run_as,
        )
        process = subprocess.Popen(
            [
                programs / "postgres",
                *("-D", data, "-p", str(port), "-h", "127.0.0.1", "-k", folder),
                *("-c", "fsync=off", "-c", "logging_collector=off"),
            ],
            cwd=folder,
            stderr=(folder / "log").open("wb"),
            **run_as,
        )
        await_port(port, process.poll)
        yield {
            "DAGSTER_POSTGRES_HOST": "127.0.0.1",
            "DAGSTER_POSTGRES_PORT": str(port),
            "DAGSTER_POSTGRES_DB": "postgres",
            "DAGSTER_POSTGRES_USER": "dagster",
            "DAGSTER_POSTGRES_PASSWORD": password,
        }
    finally:
        if process is not None:
            process.send_signal(signal.SIGINT)  # its "fast" shutdown
            process.wait(timeout=60)
        shutil.rmtree(folder)


@contextmanager
def redis(folder: Path) -> Iterator[str]:
    """The embedded engine's own Redis server, without its graph, as a broker; its URL."""
    port = free_port()
    process = subprocess.Popen(
        [
            locate().server,
            *("--port", str(port), "--bind", "127.0.0.1", "--dir", folder),
            *("--save", "", "--appendonly", "no", "--databases", "2"),
        ],
        stdout=subprocess.DEVNULL,
    )
    try:
        await_port(port, process.poll)
        yield f"redis://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(timeout=60)


def await_port(port: int, ended: Callable[[], int | None]) -> None:
    """Wait until somebody listens on a port."""
    deadline = time.monotonic() + START_SECONDS
    while True:
        assert ended() is None, "the server did not start"
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            assert time.monotonic() < deadline, "the server does not listen"
            time.sleep(0.05)
        else:
            return
