# SPDX-License-Identifier: BSD-3-Clause
"""xarray with h5netcdf: weather on a turned grid, whose longitudes and latitudes have two dimensions, with heights at
unequal distances; and a plain section with named axes."""

import sys

import numpy
import pandas
import xarray

y, x = numpy.mgrid[0:4, 0:5].astype("f8")
random = numpy.random.default_rng(7)
weather = xarray.Dataset(
    {
        "wind": (("time", "height", "y", "x"), random.random((2, 3, 4, 5)), {"units": "m/s"}),
        "rain": (("time", "y", "x"), random.random((2, 4, 5)).astype("f4")),
    },
    coords={
        "lon": (("y", "x"), 10 + x + 0.1 * y, {"units": "degrees_east"}),
        "lat": (("y", "x"), 50 + y - 0.2 * x, {"units": "degrees_north"}),
        "height": ("height", [2.0, 10.0, 100.0], {"units": "m", "positive": "up"}),
        "time": pandas.date_range("2026-11-01", periods=2, freq="6h"),
    },
)
weather.to_netcdf(f"{sys.argv[1]}/weather.nc", engine="h5netcdf")
section = xarray.Dataset(
    {"u": (("z", "x"), random.random((6, 8)), {"units": "1"})},
    coords={"x": ("x", numpy.linspace(-1, 1, 8), {"units": "m"}), "z": ("z", numpy.arange(6) ** 2.0, {"units": "m"})},
    attrs={"time": 2.5},
)
section.to_netcdf(f"{sys.argv[1]}/section.h5", engine="h5netcdf")
