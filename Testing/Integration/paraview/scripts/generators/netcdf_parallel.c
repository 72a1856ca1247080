/* SPDX-License-Identifier: BSD-3-Clause
 *
 * netCDF-4 with parallel HDF5, as climate models write it: each rank has some latitudes of two
 * steps. */
#include <mpi.h>
#include <netcdf.h>
#include <netcdf_par.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum
{
  Steps = 2,
  Latitudes = 9,
  Longitudes = 12
};

int main(int argc, char** argv)
{
  int rank, ranks, file, dimensions[3], time, lat, lon, heat;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  char path[4096];
  snprintf(path, sizeof path, "%s/climate.nc", argc > 1 ? argv[1] : ".");
  int bad = nc_create_par(path, NC_NETCDF4 | NC_CLOBBER, MPI_COMM_WORLD, MPI_INFO_NULL, &file);
  bad |= nc_def_dim(file, "time", NC_UNLIMITED, &dimensions[0]);
  bad |= nc_def_dim(file, "lat", Latitudes, &dimensions[1]) |
    nc_def_dim(file, "lon", Longitudes, &dimensions[2]);
  bad |= nc_def_var(file, "time", NC_DOUBLE, 1, &dimensions[0], &time);
  bad |= nc_def_var(file, "lat", NC_DOUBLE, 1, &dimensions[1], &lat);
  bad |= nc_def_var(file, "lon", NC_DOUBLE, 1, &dimensions[2], &lon);
  bad |= nc_def_var(file, "tas", NC_FLOAT, 3, dimensions, &heat);
  const char *when = "days since 2026-01-01", *north = "degrees_north", *east = "degrees_east";
  bad |= nc_put_att_text(file, time, "units", strlen(when), when);
  bad |= nc_put_att_text(file, lat, "units", strlen(north), north);
  bad |= nc_put_att_text(file, lon, "units", strlen(east), east);
  bad |= nc_enddef(file);
  bad |=
    nc_var_par_access(file, heat, NC_COLLECTIVE) | nc_var_par_access(file, time, NC_COLLECTIVE);
  const size_t first = (size_t)Latitudes * rank / ranks,
               end = (size_t)Latitudes * (rank + 1) / ranks;
  for (size_t j = first; j < end; ++j)
  {
    const double value = -80.0 + 20.0 * j;
    bad |= nc_put_var1_double(file, lat, &j, &value);
  }
  for (size_t i = 0; i < Longitudes && rank == 0; ++i)
  {
    const double value = 30.0 * i;
    bad |= nc_put_var1_double(file, lon, &i, &value);
  }
  for (size_t step = 0; step < Steps; ++step)
  {
    float values[Latitudes * Longitudes];
    const size_t begin[] = { step, first, 0 }, count[] = { 1, end - first, Longitudes }, one = 1;
    for (size_t index = 0; index < count[1] * Longitudes; ++index)
    {
      values[index] = (float)(280 + sin((double)(first * Longitudes + index) + 50.0 * step));
    }
    const double now = 15.5 + 30 * step;
    bad |= nc_put_vara_double(file, time, &step, &one, &now);
    bad |= nc_put_vara_float(file, heat, begin, count, values);
  }
  bad |= nc_close(file);
  MPI_Finalize();
  return bad != 0;
}
