# SPDX-License-Identifier: BSD-3-Clause
"""What tests of generators share. A generator is a program that writes files by the library that its format is of. It
runs twice: behind dsm-run, into the ring of a ParaView on 3 ranks, where a ParaView on 1 rank looks as well; and to
disk, where somebody else reads. Both ParaViews must have what that one says: points, cells, values, centring, time."""

import dataclasses
import subprocess
import sys
from collections.abc import Callable

import numpy
import pytest

from conftest import HERE, built
from processes import on_disk

GENERATORS = HERE / "scripts" / "generators"
COMPILERS = ("cc", "mpicc.openmpi")


@dataclasses.dataclass
class Part:
    """A part of a file at one step, as somebody else reads it."""

    points: numpy.ndarray
    point: dict = dataclasses.field(default_factory=dict)
    """Values on points, by name."""
    cell: dict = dataclasses.field(default_factory=dict)
    cells: list | None = None
    """Of each cell VTK's type and the corners, in order; or, where cells are boxes, the lowest and highest corner."""

    @property
    def names(self):
        return sorted(self.point), sorted(self.cell)


@dataclasses.dataclass
class File:
    name: str
    recognised: str
    parts: Callable
    """Of a path and the number of a step."""
    times: list = dataclasses.field(default_factory=list)
    """Of the steps in the file, if it has several."""
    time: float | None = None
    """Of a file with one step, if it says it."""


@dataclasses.dataclass
class Generator:
    program: list
    """What comes before the folder that it writes to; of one in C how it is compiled: compiler, source, libraries."""
    files: list[File]
    needs: str = ""
    """A condition for Python: what it imports."""
    ranks: int = 0
    """0: not an MPI program."""
    environment: dict = dataclasses.field(default_factory=dict)

    def command(self, program, folder, mpiexec):
        folder.mkdir()
        return [*([*mpiexec, "-n", self.ranks] if self.ranks else []), *program, folder]


def python(name):
    return [sys.executable, GENERATORS / f"{name}.py"]


def compiled(generator, program):
    """Whether its library is there."""
    compiler, source, *libraries = generator.program
    command = [compiler, "-Wall", "-Werror", "-O1", "-o", program, GENERATORS / source, *libraries]
    made = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert made.returncode == 0 or "No such file or directory" in made.stderr, made.stderr
    return made.returncode == 0


def is_there(generator):
    more = generator.environment.get("PYTHONPATH", "")
    tried = subprocess.run([sys.executable, "-c", generator.needs], capture_output=True, check=False, timeout=100,
                           env={"PATH": "/usr/bin:/bin", "PYTHONPATH": more})
    return tried.returncode == 0


def grid(*axes):
    """The points of a grid whose axes are x, y, z, in an order of their own."""
    return numpy.stack([one.ravel() for one in numpy.meshgrid(*axes, indexing="ij")], 1)


def shown(folder, file, step):
    """The parts of a file that all ranks together have, with their times."""
    pieces = {}
    for path in sorted(folder.glob(f"{file}.{step}.*.npz")):
        with numpy.load(path) as data:
            pieces.setdefault(path.name[len(file) + 1 :].split(".")[1], []).append({name: data[name] for name in data})
    parts, times = [], set()
    for some in pieces.values():
        times |= {float(one["time"]) for one in some}
        whole = {name: numpy.concatenate([one[name] for one in some]) for name in some[0] if name != "time"}
        made = Part(
            whole["points"],
            {name[6:]: value for name, value in whole.items() if name.startswith("point ")},
            {name[5:]: value for name, value in whole.items() if name.startswith("cell ")},
        )
        if "types" in whole:
            made.cells = [whole["types"], whole["corners"]]
        parts.append(made)
    return parts, times


def rows(columns, scale):
    """Rows in an order of their own, without those that are there twice."""
    table = numpy.hstack([numpy.reshape(numpy.ma.filled(one), (len(columns[0]), -1)).astype("f8") for one in columns])
    scale = numpy.nanmax(numpy.abs(numpy.nan_to_num(table)), axis=0, initial=0) if scale is None else scale
    scale = numpy.where(scale == 0, 1, scale)
    keys = numpy.nan_to_num(numpy.round(table / scale * 1e5 + 0.123), nan=-1e9)
    _, order = numpy.unique(keys, axis=0, return_index=True)
    return table[order] / scale, scale


def check(columns, expected, what):
    """Whether both have the same rows."""
    ours, scale = rows(expected, None)
    theirs, _ = rows(columns, scale)
    assert ours.shape == theirs.shape, (what, ours.shape, theirs.shape)
    wrong = ~numpy.isclose(ours, theirs, rtol=0, atol=2e-6, equal_nan=True)
    assert not wrong.any(), (what, ours[wrong.any(1)][:3] * scale, theirs[wrong.any(1)][:3] * scale)


def compare(part, expected, ranks, what):
    points, cells = expected.names
    assert part.names == expected.names, (what, part.names)
    check([part.points, *(part.point[name] for name in points)],
          [expected.points, *(expected.point[name] for name in points)], what)
    assert ranks > 1 or len(part.points) == len(expected.points), what
    if expected.cells is None:
        return
    types, corners = part.cells
    # Each cell is on one rank only.
    assert len(types) == len(expected.cells), (what, len(types))
    if len(expected.cells[0]) == 2 and numpy.ndim(expected.cells[0][0]) == 1:
        place = [numpy.nanmin(corners, 1), numpy.nanmax(corners, 1)]
        wanted = [numpy.array([low for low, _ in expected.cells]), numpy.array([high for _, high in expected.cells])]
    else:
        place = [types, corners]
        padded = numpy.full((len(types), *corners.shape[1:]), numpy.nan)
        for row, (_, at) in zip(padded, expected.cells, strict=True):
            row[: len(at)] = at
        wanted = [numpy.array([kind for kind, _ in expected.cells]), padded]
    check([*place, *(part.cell[name] for name in cells)],
          [*wanted, *(expected.cell[name] for name in cells)], (what, "cells"))


def ordered(parts):
    return sorted(parts, key=lambda part: (part.names, len(numpy.unique(part.points, axis=0))))


def programs(bench, generators):
    """How each is started; those whose library is there."""
    made = {}
    for name, one in generators.items():
        binary = bench.folder / f"{name}.program"
        if one.program[0] in COMPILERS:
            if compiled(one, binary):
                made[name] = [binary]
        elif not one.needs or is_there(one):
            made[name] = one.program
    return made


def show(bench, generators):
    """Runs all of them and compares; skips in the end, where a library is not there."""
    # Debian's libraries are for Open MPI, or no MPI, whichever ParaView uses.
    build, mpiexec = built("openmpi")
    commands = programs(bench, generators)
    live, disk = bench.folder / "live", bench.folder / "disk"
    live.mkdir()
    disk.mkdir()
    host = bench.pvbatch("show_generated.py", 3)
    folders = {3: bench.reportFolder}
    host.wait_for_file(bench.folder / "run.dsm")
    viewer = bench.pvbatch("show_generated.py", 1, DSM_TEST_VIEWER=1)
    folders[1] = bench.reportFolder
    for name, command in commands.items():
        one = generators[name]
        coupled = [build / "bin/dsm-run", "--contact", bench.folder / "run.dsm"]
        running = bench.start([*coupled, *one.command(command, live / name, mpiexec)], name, **one.environment)
        bench.start(one.command(command, disk / name, mpiexec), f"{name}-disk", **one.environment).wait()
        running.wait()
    (bench.folder / "written").touch()
    viewer.wait(300)
    host.wait()
    wrong = []
    for ranks, folder in folders.items():
        bench.reportFolder = folder
        told = bench.reports()[0]
        for name in commands:
            for file in generators[name].files:
                try:
                    compare_file(folder, told, file, disk / name, live / name, ranks)
                except AssertionError as error:
                    wrong.append(f"{name}, {file.name}, {ranks} ranks: {error}")
    assert not wrong, "\n\n".join(wrong)
    missing = [name for name in generators if name not in commands]
    if missing:
        pytest.skip(f"not installed, so not shown: {', '.join(missing)}; the others were as they should be")


def compare_file(folder, told, file, disk, live, ranks):
    (path,) = disk.glob(f"**/{file.name}")
    (placeholder,) = live.glob(f"**/{file.name}")
    assert on_disk(path) and not on_disk(placeholder), f"{placeholder} is on disk"
    compare_shown(folder, told, file, path, ranks)


def compare_shown(folder, told, file, path, ranks):
    """Compares what all ranks have of a file, at each of its steps, with its parts."""
    about, times = told[file.name]
    assert about["ErrorText"] in ("", []), (file.name, about)
    assert about["RecognisedAs"] == file.recognised, (file.name, about)
    assert len(times) == len(file.times) and numpy.allclose(times, file.times), (file.name, times, file.times)
    for step in range(max(1, len(times))):
        what = f"{file.name}, step {step}, {ranks} ranks"
        parts, seen = shown(folder, file.name, step)
        if times or file.time is not None:
            assert list(seen) == pytest.approx([times[step] if times else file.time], abs=0), (what, seen)
        wanted = ordered(file.parts(path, step))
        parts = ordered(parts)
        assert [part.names for part in parts] == [part.names for part in wanted], (
            what, [part.names for part in parts], [part.names for part in wanted], about["RecognisedBecause"])
        for part, other in zip(parts, wanted, strict=True):
            compare(part, other, ranks, what)
