# SPDX-License-Identifier: BSD-3-Clause
"""What dsm-describe says of files that h5py writes: what they are taken for, what was guessed, what is left out."""

import os
import pathlib
import subprocess

import h5py
import numpy
import pytest

BIN = pathlib.Path(os.environ["DSM_TEST_BIN"])


def described(file, *options, status=0):
    done = subprocess.run(
        [BIN / "dsm-describe", file, *map(str, options)], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == status, done.stderr
    return (done.stdout + done.stderr).splitlines()


def numbers(*shape):
    return numpy.arange(float(numpy.prod(shape))).reshape(shape)


def numbered_groups(file):
    for step in (0, 9, 10):
        group = file.create_group(f"Step#{step}")
        group.attrs["TimeValue"] = step / 10
        group["rho"] = numbers(4, 6)
    # Coordinates of edges: one more than values.
    file["grid/x"], file["grid/y"] = numpy.linspace(0, 1, 7), [0, 1, 3, 4, 9.0]


def reversed_axes(file):
    for time in (1, 2):
        file[f"Time:  {time}.00000E+00 y/P [Pa]"] = numbers(2, 3, 4)
    for axis, count in zip("XYZ", (3, 4, 5), strict=True):
        file[f"Coordinates/{axis} [m]"] = 10 * numpy.arange(count)


def descending(file):
    file["u"], file["x"], file["y"] = numbers(3, 4), [0, 1, 2, 3], [30, 20, 10]


def attributes(file):
    file["u"] = numbers(2, 3, 4)
    file["u"].attrs["dx"] = 0.5
    file.attrs["origin"], file.attrs["time"] = [1.0, 2, 3], 3.0


def two_shapes(file):
    file["e"], file["b"], file["small"], file["name"] = numbers(9, 6, 5), numbers(8, 6, 5), [1, 2, 3], "text"


def particles(file):
    for kind, count in ("ions", 7), ("electrons", 9):
        file[f"{kind}/position"], file[f"{kind}/charge"] = numbers(count, 3), numbers(count)
    file["box"] = numbers(3)


def table(file):
    file["a"], file["c"] = numbers(10), numbers(4)


def components(file):
    file["v"], file["p"] = numbers(4, 5, 6, 3), numbers(4, 5, 6)


EXPECTED = {
    numbered_groups: """
image: the largest datasets of numbers have 4 x 6 elements on a grid
time 1
step 2 of 3, times 0 to 1
part image: rectilinear, 7 x 5 x 1 points, at /grid/x[x:7]; /grid/y[y:5]; 0
  cell array rho: /Step#10/rho[y:4, x:6]
guessed: that /Step#10 and those beside it are the run's steps
guessed: that /grid/x, /grid/y are the coordinates of the edges of cells""",
    reversed_axes: """
image: the largest datasets of numbers have 2 x 3 x 4 elements on a grid
time 2
step 1 of 2, times 1 to 2
part image: uniform, 3 x 4 x 5 points, origin 0 0 0, spacing 10 10 10
  cell array P [Pa]: /Time:  2.00000E+00 y/P [Pa][x:2, y:3, z:4]
guessed: that /Time:  2.00000E+00 y and those beside it are the run's steps
guessed: that /Coordinates/X [m], /Coordinates/Y [m], /Coordinates/Z [m] are the coordinates of the edges of cells""",
    descending: """
image: the largest datasets of numbers have 3 x 4 elements on a grid
part image: uniform, 4 x 3 x 1 points, origin 0 10 0, spacing 1 10 1
  point array u: /u[-y:3, x:4]
guessed: that /x, /y are the coordinates of points""",
    attributes: """
image: the largest datasets of numbers have 2 x 3 x 4 elements on a grid
time 3
part image: uniform, 4 x 3 x 2 points, origin 1 2 3, spacing 0.5 0.5 0.5
  point array u: /u[z:2, y:3, x:4]
guessed: that the last dimension runs along x""",
    two_shapes: """
image: the largest datasets of numbers have 9 x 6 x 5 elements on a grid
part 9 x 6 x 5: uniform, 5 x 6 x 9 points, origin 0 0 0, spacing 1 1 1
  point array e: /e[z:9, y:6, x:5]
part 8 x 6 x 5: uniform, 5 x 6 x 8 points, origin 0 0 0, spacing 1 1 1
  point array b: /b[z:8, y:6, x:5]
guessed: origin 0, spacing 1, that the last dimension runs along x
left out: /name: its elements are no numbers (text)
left out: /small: it has 3 elements, and what is shown has 9 x 6 x 5 elements""",
    particles: """
points: the largest datasets of numbers have 9 x 3 elements, and /electrons/position gives coordinates
part electrons: 9 points without cells, at /electrons/position[i:9, c:3]
  point array charge: /electrons/charge[i:9]
  point array position: /electrons/position[i:9, c:3]
part ions: 7 points without cells, at /ions/position[i:7, c:3]
  point array charge: /ions/charge[i:7]
  point array position: /ions/position[i:7, c:3]
guessed: that /electrons/position is the coordinates of points
guessed: that /ions/position is the coordinates of points
left out: /box: it has 3 elements, and it has no row for each of the points""",
    table: """
table: the largest datasets of numbers have 10 elements, in one dimension
part table: table of 10 rows
  point array a: /a[i:10]
left out: /c: it has 4 elements, and other columns have 10 rows""",
    components: """
image: the largest datasets of numbers have 4 x 5 x 6 elements on a grid
part image: uniform, 6 x 5 x 4 points, origin 0 0 0, spacing 1 1 1
  point array p: /p[z:4, y:5, x:6]
  point array v: /v[z:4, y:5, x:6, c:3]
guessed: origin 0, spacing 1, that the last dimension runs along x""",
}


@pytest.mark.parametrize("write", EXPECTED, ids=lambda write: write.__name__)
def test_plain(tmp_path, write):
    with h5py.File(tmp_path / "file.h5", "w") as file:
        write(file)
    assert described(tmp_path / "file.h5") == EXPECTED[write].strip().splitlines()


def test_a_step(tmp_path):
    with h5py.File(tmp_path / "file.h5", "w") as file:
        numbered_groups(file)
    told = described(tmp_path / "file.h5", "--step", 1)
    assert "time 0.9" in told and "  cell array rho: /Step#9/rho[y:4, x:6]" in told


def test_what_cannot_be(tmp_path):
    with h5py.File(tmp_path / "file.h5", "w") as file:
        file["name"] = "only text"
    (told,) = described(tmp_path / "file.h5", status=1)
    assert "there is nothing to show" in told
    (told,) = described(tmp_path / "none.h5", status=1)
    assert "none.h5 cannot be opened" in told
