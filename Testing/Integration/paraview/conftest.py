# SPDX-License-Identifier: BSD-3-Clause
"""Runs scripts in pvbatch, as a user does, and collects what each rank found."""

import json
import os
import pathlib
import subprocess

import pytest

HERE = pathlib.Path(__file__).parent


def environment(**more):
    """What ParaView needs to know of the plugin, and how to fail instead of hanging."""
    plugin = os.environ["DSM_PLUGIN_FOLDER"]
    return {
        **os.environ,
        "PYTHONPATH": f"{plugin}:{HERE / 'scripts'}",
        "PV_PLUGIN_CONFIG_FILE": f"{plugin}/plugins.xml",
        "UCX_ERROR_SIGNALS": "",
        **{name: str(value) for name, value in more.items()},
    }


class Batch:
    """One run of pvbatch: its output, and what the ranks reported with report()."""

    def __init__(self, output, folder):
        self.output = output
        self.reports = [json.loads(file.read_text()) for file in sorted(folder.glob("report.*.json"))]


@pytest.fixture
def pvbatch(tmp_path):
    """pvbatch(script, ranks, symmetric=False, **environment) runs scripts/<script>."""

    def run(script, ranks, symmetric=False, limit=90, **more):
        reports = tmp_path / f"reports.{ranks}.{symmetric}"
        reports.mkdir()
        command = [*os.environ["DSM_TEST_MPIEXEC"].split(), "-n", str(ranks), os.environ["DSM_TEST_PVBATCH"]]
        command += ["--sym"] if symmetric else []
        done = subprocess.run(
            [*command, str(HERE / "scripts" / script)],
            env=environment(DSM_TEST_FOLDER=tmp_path, DSM_TEST_REPORTS=reports, **more),
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=limit, check=False,
        )
        assert done.returncode == 0, f"{script} on {ranks} ranks ended with {done.returncode}:\n{done.stdout}"
        return Batch(done.stdout, reports)

    return run


# How a script runs: ranks, and whether all of them or only the first runs it.
ways = pytest.mark.parametrize(
    ("ranks", "symmetric"), [(1, False), (2, False), (2, True), (3, False), (3, True)]
)
