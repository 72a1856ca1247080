# SPDX-License-Identifier: BSD-3-Clause
"""The README's "Steer your code in five lines": its code is taken from there, completed to a program,
built against an installation, and steered by the README's own commands."""

import importlib.util
import os
import pathlib
import re
import subprocess
import sys

import pytest
from processes import Job, around

ROOT = pathlib.Path(__file__).parents[2]
FLAVOUR = os.environ["DSM_TEST_FLAVOUR"]
MPIEXEC = os.environ["DSM_TEST_MPIEXEC"].split()
SECTION = (ROOT / "README.md").read_text().split("## Steer your code in five lines")[1].split("\n## ")[0]

# What a program has around the README's lines, and in place of "your step".
C = r"""#include <stdio.h>
#include <unistd.h>
{head}
int main(int argc, char** argv)
{{
  int step = 0, rank;
  double feed = 0.03, time = 0, told = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
{body}
  return MPI_Finalize();
}}
"""
C_STEP = r"""if (rank == 0 && feed != told) { printf("step %d feed %g\n", step, feed); fflush(stdout); }
  told = feed; time += 0.5; ++step; usleep(1000);"""
FORTRAN = """program five_lines
  use mpi_f08
  {head}
  implicit none
  {declarations}
  real(c_double), target :: feed = 0.03_c_double
  real(c_double) :: time = 0, told = 0
  integer :: step = 0, rank
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
{body}
  call MPI_Finalize()
end program five_lines
"""
FORTRAN_STEP = """if (rank == 0 .and. abs(feed - told) > 0) then
    write (*, "(a,i0,a,f0.2)") "step ", step, " feed 0", feed
    flush (6)
  end if
  told = feed
  time = time + 0.5_c_double
  step = step + 1
  call execute_command_line("sleep 0.001")"""
PYTHON = """import time as clock
{mpi}
step, time, told = 0, 0.0, None
{body}
session.close()
"""
PYTHON_STEP = """if getattr(MPI.COMM_WORLD, "rank", 0) == 0 and feed.value != told:
        print(f"step {step} feed {feed.value}", flush=True)
    told, step, time = feed.value, step + 1, time + 0.5
    clock.sleep(0.001)"""


def blocks(language):
    found = re.findall(r"^```(\w*)\n(.*?)^```$", SECTION, re.MULTILINE | re.DOTALL)
    return [text for name, text in found if name == language]


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    made = tmp_path_factory.mktemp("installed")
    done = subprocess.run(
        [os.environ["DSM_TEST_CMAKE"], "--install", os.environ["DSM_TEST_BUILD"], "--prefix", made],
        capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return made


def compiled(prefix, folder, compiler, source, text, *libraries):
    (folder / source).write_text(text)
    libdir = prefix / os.environ["DSM_TEST_LIBDIR"]
    program = folder / "five_lines"
    done = subprocess.run(
        [compiler, "-Wall", folder / source, f"-I{prefix}/include", f"-I{prefix}/include/dsm-fortran-{FLAVOUR}", "-o", program,
         f"-L{libdir}", f"-Wl,-rpath,{libdir}", *(f"-l{name}-{FLAVOUR}" for name in libraries)],
        capture_output=True, text=True, timeout=120, cwd=folder, check=False)
    # The README's lines, completed by ours, give no warning.
    assert done.returncode == 0 and not done.stderr, f"{text}\n{done.stderr}"
    return [program]


def inC(prefix, folder):
    (block,) = [block for block in blocks("c") if "<dsm.h>" in block]
    head, body = block.split("\n\n", 1)
    assert "/* ... your step ... */" in body
    text = C.format(head=head, body=body.replace("/* ... your step ... */", C_STEP))
    return compiled(prefix, folder, os.environ["DSM_TEST_MPICC"], "five_lines.c", text, "dsmcore")


def inFortran(prefix, folder):
    if not os.environ["DSM_TEST_MPIFORT"]:
        pytest.skip("this build has no Fortran")
    (block,) = blocks("fortran")
    head, declarations, body = block.split("\n", 2)
    assert "! ... your step ..." in body
    text = FORTRAN.format(head=head, declarations=declarations, body=body.replace("! ... your step ...", FORTRAN_STEP))
    return compiled(prefix, folder, os.environ["DSM_TEST_MPIFORT"], "five_lines.f90", text, "dsmfortran", "dsmcore")


def inPython(_, folder):
    (body,) = (block for block in blocks("python") if "import dsm" in block)
    # Debian's mpi4py is for Open MPI.
    parallel = FLAVOUR == "openmpi" and importlib.util.find_spec("mpi4py")
    mpi = "from mpi4py import MPI" if parallel else "class MPI:\n    COMM_WORLD = None"
    step = next(line.strip() for line in body.splitlines() if line.strip().startswith("..."))
    (folder / "five_lines.py").write_text(PYTHON.format(mpi=mpi, body=body.replace(step, PYTHON_STEP)))
    return [sys.executable, folder / "five_lines.py"], parallel


def test_five_lines(prefix, tmp_path):
    shell = next(block for block in blocks("") if "dsm-steer" in block).splitlines()
    assert len(shell) == 2
    package = prefix / os.environ["DSM_TEST_LIBDIR"] / "paraview-dsm"
    server = Job([*MPIEXEC, "-n", 1, prefix / "bin/dsm-serve", "--contact", "run.dsm", "--memory-per-host", "8 MiB",
                  "--limit", 150], folder=tmp_path)
    running = [server]
    try:
        server.wait_for_line("ready")
        for make in (inC, inFortran, inPython):
            folder = tmp_path / make.__name__
            folder.mkdir()
            program, parallel = made if isinstance(made := make(prefix, folder), tuple) else (made, True)
            simulation = Job(
                [*([*MPIEXEC, "-n", 2] if parallel else []), *program],
                around(DSM_CONTACT=tmp_path / "run.dsm", DSM_START_PAUSED=1, PYTHONPATH=package), folder=folder)
            running.append(simulation)

            def steer(command):
                done = subprocess.run(command, shell=True, cwd=tmp_path, capture_output=True, text=True, timeout=60,
                                      env=around(PATH=f"{prefix}/bin:{os.environ['PATH']}"), check=False)
                assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}\n{simulation.text}"
                return done.stdout

            while '"paused": true' not in steer(shell[0]):
                assert simulation.process.poll() is None, simulation.text
            assert '"new": 0.04' in steer(shell[1])
            assert simulation.wait_for_line("step") == "step 0 feed 0.04"
            steer("dsm-steer --contact run.dsm --command stop")
            simulation.wait()
    finally:
        for job in reversed(running):
            job.stop()
