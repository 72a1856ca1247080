# SPDX-License-Identifier: BSD-3-Clause
"""The README's "Steer your code in five lines" and the guides: their code is taken from there, completed to a program,
built against an installation, and steered by their own commands."""

import ast
import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

from processes import Job, environ, on_disk

ROOT = pathlib.Path(__file__).parents[2]
FLAVOUR = os.environ["DSM_TEST_FLAVOUR"]
MPIEXEC = os.environ["DSM_TEST_MPIEXEC"].split()
SECTION = (ROOT / "README.md").read_text().split("## Steer your code in five lines")[1].split("\n## ")[0]
SECTION += (ROOT / "Documentation/Steering.md").read_text()
COUPLING = (ROOT / "Documentation/Coupling.md").read_text()

# What a program has around the README's lines, and in place of "your step".
C = r"""#define _DEFAULT_SOURCE
#include <stdio.h>
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


def blocks(language, text=SECTION):
    found = re.findall(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [block for name, block in found if name == language]


def run(command, folder, **environment):
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=120, cwd=folder, env=environ(**environment), check=False
    )
    # The README's lines, completed by ours, give no warning.
    assert done.returncode == 0 and not done.stderr, f"{command}\n{done.stdout}{done.stderr}"


def compiled(prefix, folder, compiler, source, text, *flags):
    """By the line of the README's that has this compiler, for this build's MPI and with all warnings."""
    name, wrapper = compiler
    (folder / source).write_text(text)
    (setting,) = re.findall(r"PKG_CONFIG_PATH=(\S+)", SECTION)
    (line,) = (line for block in blocks("sh") for line in block.splitlines() if line.startswith(f"{name} "))
    line = line.replace(name, f"{wrapper} {' '.join(flags)} -Wall -Wextra -pedantic", 1).replace("openmpi", FLAVOUR)
    libdir = os.environ["DSM_TEST_LIBDIR"]
    run(["sh", "-c", line.replace("my_code.c ", f"{source} ").replace("my_code.f90 ", f"{source} ")], folder,
        PKG_CONFIG_PATH=setting.replace("DIR", str(prefix)).replace("/lib/", f"/{libdir}/"))
    return [folder / "my_code"]


def in_c(prefix, folder):
    (block,) = [block for block in blocks("c") if "<dsm.h>" in block]
    head, body = block.split("\n\n", 1)
    assert "/* ... your step ... */" in body
    text = C.format(head=head, body=body.replace("/* ... your step ... */", C_STEP))
    program = compiled(prefix, folder, ("mpicc", os.environ["DSM_TEST_MPICC"]), "five_lines.c", text, "-std=c11")
    # The same lines are C++, and the header serves programs without MPI.
    headers, check = f"-I{prefix}/include", ["-fsyntax-only", "-Wall", "-Wextra", "-pedantic"]
    run([os.environ["DSM_TEST_MPICXX"], *check, "-std=c++11", headers, "-x", "c++", "five_lines.c"], folder)
    (folder / "serial.c").write_text("#include <dsm.h>\nint main(void) { return dsm_close(NULL); }\n")
    run([os.environ["DSM_TEST_CC"], *check, "-std=c11", "-DDSM_WITHOUT_MPI", headers, "serial.c"], folder)
    return program


def in_fortran(prefix, folder):
    if not os.environ["DSM_TEST_MPIFORT"]:
        pytest.skip("this build has no Fortran")
    (block,) = blocks("fortran")
    head, declarations, body = block.split("\n", 2)
    assert "! ... your step ..." in body
    text = FORTRAN.format(head=head, declarations=declarations, body=body.replace("! ... your step ...", FORTRAN_STEP))
    return compiled(prefix, folder, ("mpifort", os.environ["DSM_TEST_MPIFORT"]), "five_lines.f90", text, "-std=f2018")


def in_python(_, folder):
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
        for make in (in_c, in_fortran, in_python):
            folder = tmp_path / make.__name__
            folder.mkdir()
            program, parallel = made if isinstance(made := make(prefix, folder), tuple) else (made, True)
            simulation = Job(
                [*([*MPIEXEC, "-n", 2] if parallel else []), *program],
                environ(DSM_CONTACT=tmp_path / "run.dsm", DSM_START_PAUSED=1, PYTHONPATH=package), folder=folder)
            running.append(simulation)

            def steer(command, simulation=simulation):
                done = subprocess.run(command, shell=True, cwd=tmp_path, capture_output=True, text=True, timeout=60,
                                      env=environ(PATH=f"{prefix}/bin:{os.environ['PATH']}"), check=False)
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


def test_without_linking_anything(prefix, tmp_path):
    """The lines for programs that know HDF5 alone, and the declaration beside them."""
    if not os.environ["DSM_TEST_H5CC"]:
        pytest.skip("this build names no compiler wrapper of its HDF5")
    (opening, reading) = next(block for block in blocks("c") if "H5Fopen" in block).splitlines()
    parameters, commands = ast.literal_eval(re.search(r"server\.declare\(\"my_simulation\", (.*?)\)`", SECTION)[1])
    (tmp_path / "FILE.json").write_text(json.dumps({"parameters": parameters, "commands": commands}))
    (tmp_path / "knows_hdf5.c").write_text(f"""#include <hdf5.h>
#include <hdf5_hl.h>
#include <stdio.h>
int main(void)
{{
  double feed = 0;
  hid_t fapl = H5P_DEFAULT;
  {opening}
  {reading}
  printf("feed %g\\n", feed);
  return H5Fclose(file);
}}
""")
    run([os.environ["DSM_TEST_H5CC"], "-shlib", "-Wall", "knows_hdf5.c", "-o", "knows_hdf5"], tmp_path)
    server = Job(
        [prefix / "bin/dsm-serve", "--contact", "run.dsm", "--memory-per-host", "8 MiB", "--limit", 60], folder=tmp_path
    )
    try:
        server.wait_for_line("ready")

        def told(command):
            return subprocess.run(command, shell=True, cwd=tmp_path, capture_output=True, text=True, timeout=60,
                                  check=True, env=environ(PATH=f"{prefix}/bin:{os.environ['PATH']}")).stdout

        told("dsm-steer --contact run.dsm --declare FILE.json")
        assert told("dsm-run --contact run.dsm ./knows_hdf5") == f"feed {parameters[0]['default']}\n"
        told("dsm-steer --contact run.dsm --set feed=0.05 --wait 0")
        assert told("dsm-run --contact run.dsm ./knows_hdf5") == "feed 0.05\n"
    finally:
        server.stop()


def test_coupling(prefix, tmp_path):
    """The guide's commands: a job script that finds no server, calls written down, and hosts without ParaView."""
    build = pathlib.Path(os.environ["DSM_TEST_BIN"])
    (tmp_path / "my_simulation").write_text(f"#!/bin/sh\nexec {build}/dsmCoupledProgram parallel out.0001.h5\n")
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "mpiexec").write_text(
        f'#!/bin/sh\nPRTE_MCA_prte_tmpdir_base={tmp_path}/launchers.$$ exec {os.environ["DSM_TEST_MPIEXEC"]} "$@"\n')
    (programs / "ssh").write_text('#!/bin/sh\nexec sh -c "$2"\n')  # all nodes are this one
    for script in (tmp_path / "my_simulation", programs / "mpiexec", programs / "ssh"):
        script.chmod(0o755)
    alone, traced, hosted, by_hand = blocks("sh", COUPLING)

    def follow(commands):
        done = subprocess.run(["sh", "-e", "-c", commands], cwd=tmp_path, capture_output=True, text=True, timeout=120,
                              env=environ(PATH=f"{programs}:{prefix}/bin:{os.environ['PATH']}"), check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stderr

    assert "disk" in follow(alone)
    disk = (tmp_path / "out.0001.h5").read_bytes()
    (tmp_path / "out.0001.h5").unlink()
    server = Job(
        [prefix / "bin/dsm-serve", "--contact", "run.dsm", "--memory-per-host", "8 MiB", "--limit", 60], folder=tmp_path
    )
    try:
        server.wait_for_line("ready")
        follow(traced)
    finally:
        server.stop()
    assert (tmp_path / "trace.png").stat().st_size > 0
    (tmp_path / "out.0001.h5").unlink()
    for commands in (hosted, by_hand):
        follow(commands)
        assert not on_disk(tmp_path / "out.0001.h5")
        assert (tmp_path / "saved" / "out.0001.h5").read_bytes() == disk
        shutil.rmtree(tmp_path / "saved")


def configure(folder, prefix, *options):
    """CMake's words, which must be good unless `fails`."""
    made = folder / "build"
    command = [os.environ["DSM_TEST_CMAKE"], "-S", folder, "-B", made, f"-DCMAKE_PREFIX_PATH={prefix}", *options]
    return made, subprocess.run(command, capture_output=True, text=True, timeout=120, env=environ(), check=False)


def test_find_package(prefix, tmp_path):
    """The README's two lines in a project of their own, for C and where there is Fortran for that."""
    found, linked = next(block for block in blocks("cmake") if "find_package" in block).splitlines()
    fortran = os.environ["DSM_TEST_MPIFORT"]
    languages, source, text = "C", "main.c", "#include <dsm.h>\nint main(void) { return dsm_close(NULL); }\n"
    if fortran:
        languages, source, linked = "C Fortran", "main.f90", linked.replace("DSM::Client", "DSM::Fortran")
        text = "program main\n  use dsm\n  type(dsm_session) :: session\n  call dsm_close(session)\nend program main\n"
    else:
        found = found.replace("COMPONENTS Fortran", "")
    (tmp_path / source).write_text(text)
    (tmp_path / "CMakeLists.txt").write_text(
        f"cmake_minimum_required(VERSION 3.25)\nproject(mine LANGUAGES {languages})\n{found}\n"
        f"add_executable(my_code {source})\n{linked}\n")
    made, done = configure(
        tmp_path, prefix, f"-DMPI_C_COMPILER={os.environ['DSM_TEST_MPICC']}", f"-DMPI_Fortran_COMPILER={fortran}"
    )
    assert done.returncode == 0, done.stdout + done.stderr
    run([os.environ["DSM_TEST_CMAKE"], "--build", made], tmp_path)
    run([made / "my_code"], tmp_path)


def test_find_package_says_what_does_not_fit(prefix, tmp_path):
    """A component that it has not; and Fortran's module for another MPI library than those it was built for, while C
    has what serves all."""
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(mine LANGUAGES C)\n"
        "find_package(ParaViewDSM REQUIRED ${WANTED})\n"
    )
    _, done = configure(
        tmp_path, prefix, "-DWANTED=COMPONENTS;Cobol", f"-DMPI_C_COMPILER={os.environ['DSM_TEST_MPICC']}"
    )
    assert done.returncode and "no component Cobol" in done.stderr, done.stderr
    folder = next(prefix.glob("**/cmake/ParaViewDSM"))
    # As if it were for another MPI.
    (other := folder / "ParaViewDSM-other.cmake").write_text(
        (folder / f"ParaViewDSM-{FLAVOUR}.cmake").read_text().replace("libmpi", "libothermpi").replace(FLAVOUR, "other")
    )
    kept = (folder / f"ParaViewDSM-{FLAVOUR}.cmake").rename(folder / "kept")
    try:
        _, done = configure(tmp_path, prefix, "-DWANTED=COMPONENTS;Fortran")
        words = " ".join(done.stderr.split())
        assert done.returncode and "is installed" in words and "for other (lib" in words, words
        _, done = configure(tmp_path, prefix, "-DWANTED=")
        assert done.returncode == 0, done.stderr
    finally:
        kept.rename(folder / f"ParaViewDSM-{FLAVOUR}.cmake")
        other.unlink()
