# SPDX-License-Identifier: BSD-3-Clause
"""netCDF4-python: an ocean by the CF conventions. Three steps in one file; depths downwards, latitudes from north to
south, packed temperatures with missing values, currents, a surface field without depth."""

import sys

import netCDF4
import numpy

with netCDF4.Dataset(f"{sys.argv[1]}/ocean.nc", "w") as file:
    file.Conventions = "CF-1.11"
    for name, length in {"time": None, "depth": 4, "lat": 5, "lon": 6, "bnds": 2}.items():
        file.createDimension(name, length)
    time = file.createVariable("time", "f8", ("time",))
    time.setncatts({"units": "hours since 2026-01-01 00:00:00", "calendar": "standard", "axis": "T", "bounds": "tb"})
    depth = file.createVariable("depth", "f4", ("depth",))
    depth.setncatts({"units": "m", "positive": "down", "axis": "Z", "standard_name": "depth"})
    lat = file.createVariable("lat", "f8", ("lat",))
    lat.setncatts({"units": "degrees_north", "standard_name": "latitude", "axis": "Y"})
    lon = file.createVariable("lon", "f8", ("lon",))
    lon.setncatts({"units": "degrees_east", "standard_name": "longitude", "axis": "X"})
    depth[:], lat[:], lon[:] = [0, 10, 30, 70], numpy.linspace(60, -60, 5), 3.5 + 60 * numpy.arange(6)
    file.createVariable("tb", "f8", ("time", "bnds"))
    packed = file.createVariable("thetao", "i2", ("time", "depth", "lat", "lon"), zlib=True, fill_value=-32767)
    packed.setncatts({"scale_factor": 0.01, "add_offset": 20.0, "units": "degC"})
    for name, factor in ("uo", 1), ("vo", -2):
        current = file.createVariable(name, "f4", ("time", "depth", "lat", "lon"), fill_value=1e20)
        current.units = "m s-1"
        for step in range(3):
            current[step] = factor * (numpy.arange(120).reshape(4, 5, 6) / 7 + step)
    surface = file.createVariable("zos", "f8", ("time", "lat", "lon"))
    for step in range(3):
        time[step] = 6 * step
        file["tb"][step] = [6 * step - 3, 6 * step + 3]
        values = numpy.ma.array(numpy.arange(120).reshape(4, 5, 6) / 10 + step, mask=numpy.zeros((4, 5, 6), bool))
        values.mask[:, 2, 3] = True  # an island
        packed[step] = values
        surface[step] = numpy.sin(numpy.arange(30).reshape(5, 6) + step)
