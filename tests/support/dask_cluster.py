"""A Dask cluster for tests."""

import os
import socket
import subprocess
import sys
import time


class DaskCluster:
    """A Dask scheduler and its workers as processes of their own."""

    def __init__(self, scheme="tcp", options=()):
        self.options = list(options)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.address = f"{scheme}://127.0.0.1:{self.port}"
        self.environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(sys.path),
            "MISBEHAVING_SLEEP": "0.15",
            "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "0",  # so that Dask itself does not try again
        }
        self.started = []

    def start(self, module, *arguments, path=None):
        command = [sys.executable, "-m", f"distributed.cli.{module}", *arguments, "--no-dashboard", *self.options]
        environment = self.environment if path is None else {**self.environment, "PYTHONPATH": path}
        process = subprocess.Popen(
            command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, process_group=0
        )
        self.started.append(process)
        return process

    def scheduler(self):
        started = self.start("dask_scheduler", "--host", self.address.rpartition(":")[0], "--port", str(self.port))
        deadline = time.monotonic() + 60.0
        while time.monotonic() < deadline:
            with socket.socket() as knocking:
                if knocking.connect_ex(("127.0.0.1", self.port)) == 0:
                    return started
            time.sleep(0.05)
        raise TimeoutError("the scheduler did not start")

    def worker(self, path=None):
        """A worker, with modules of its own on a path."""
        return self.start("dask_worker", self.address, "--nthreads", "1", "--no-nanny", path=path)

    def close(self):
        for process in self.started:
            process.kill()
            process.wait()
