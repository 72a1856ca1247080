# SPDX-License-Identifier: BSD-3-Clause
"""Examples/gray_scott by itself, writing to disk.

same      1, 2, 3 and 5 ranks write equal files, on a grid that none of these counts divides
mistakes  a wrong command line or folder ends with a message and a non-zero status
read      VTK's own reader finds the grid, the time and the very values that are in the file
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile


def run(arguments, ranks, *options, expect_failure=False):
    command = [*arguments.mpiexec.split(), "-n", str(ranks), arguments.program, *map(str, options)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    if (done.returncode != 0) != expect_failure:
        sys.exit(f"{' '.join(command)}\nended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def same(arguments, folder):
    files = {}
    for ranks in (1, 2, 3, 5):
        output = folder / str(ranks)
        run(arguments, ranks, "--size", 17, 13, 11, "--steps", 40, "--every", 20, "--output", output)
        files[ranks] = sorted(output.iterdir())
    names = [file.name for file in files[1]]
    assert names == [f"gray_scott.{step:05d}.vtkhdf" for step in (0, 20, 40)], names
    for ranks in (2, 3, 5):
        assert [file.name for file in files[ranks]] == names, files[ranks]
        for expected, written in zip(files[1], files[ranks], strict=True):
            subprocess.run(["h5diff", "--verbose", expected, written], check=True, timeout=60)
    # The comparison must be able to fail: two steps differ.
    assert subprocess.run(["h5diff", "-q", *files[1][:2]], timeout=60, check=False).returncode == 1


def mistakes(arguments, folder):
    blocker = folder / "file"
    blocker.touch()
    for options, words in (
        (("--size", 8, 8), "--size"),
        (("--dt", 2), "unstable"),
        (("--output", blocker / "below"), "Choose another with --output"),
        (("--size", 1), "too small"),
    ):
        said = run(arguments, 2, *options, expect_failure=True)
        assert words in said, f"{options}: {said}"
    assert "--feed" in run(arguments, 2, "--help")


def read(arguments, folder):
    import h5py
    import numpy
    from vtkmodules.util.numpy_support import vtk_to_numpy
    from vtkmodules.vtkIOHDF import vtkHDFReader

    size = (12, 10, 9)
    run(arguments, 3, "--size", *size, "--steps", 20, "--every", 20, "--dt", 0.5, "--output", folder)
    name = str(folder / "gray_scott.00020.vtkhdf")
    reader = vtkHDFReader()
    assert reader.CanReadFile(name)
    reader.SetFileName(name)
    reader.Update()
    image = reader.GetOutputDataObject(0)
    assert image.GetClassName() == "vtkImageData", image.GetClassName()
    assert image.GetDimensions() == size, image.GetDimensions()
    assert image.GetSpacing() == (1, 1, 1) and image.GetOrigin() == (0, 0, 0)
    assert image.GetFieldData().GetArray("TimeValue").GetValue(0) == 10
    with h5py.File(name) as file:
        assert file["VTKHDF"].attrs["time"] == 10 and file["VTKHDF"].attrs["step"] == 20
        for field in ("u", "v"):
            written = file["VTKHDF/PointData"][field][...]
            assert written.shape == size[::-1] and written.min() < written.max()
            got = vtk_to_numpy(image.GetPointData().GetArray(field)).reshape(written.shape)
            assert numpy.array_equal(got, written), field


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("check", choices=("same", "mistakes", "read"))
    parser.add_argument("--mpiexec", required=True, help="with its options, in one word")
    parser.add_argument("--program", required=True)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        globals()[arguments.check](arguments, pathlib.Path(folder))


main()
