// SPDX-License-Identifier: BSD-3-Clause
#include "Hdf5Patterns.h"

#include "Hdf5Slabs.h"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <thread>

namespace patterns
{

namespace
{

constexpr std::array<hsize_t, 2> Chunk{ 5, 7 };

/// An HDF5 identifier that is closed with its scope.
class Id
{
public:
  Id(hid_t id, herr_t (*close)(hid_t))
    : Value(id)
    , Close(close)
  {
    EXPECT_GE(id, 0);
  }
  ~Id()
  {
    if (this->Value >= 0)
    {
      EXPECT_GE(this->Close(this->Value), 0);
    }
  }
  Id(const Id&) = delete;
  Id& operator=(const Id&) = delete;
  operator hid_t() const { return this->Value; }

private:
  hid_t Value;
  herr_t (*Close)(hid_t);
};

/// The value of element (row, column) of dataset `which`.
double ValueAt(hsize_t row, hsize_t column, int which)
{
  return static_cast<double>(row * 1000 + column) + 0.25 * which;
}

using Cut = Slab (*)(const Layout&, const Team&);

void Select(hid_t space, const Slab& slab)
{
  if (slab.Elements() == 0)
  {
    EXPECT_GE(H5Sselect_none(space), 0);
    return;
  }
  EXPECT_GE(H5Sselect_hyperslab(space, H5S_SELECT_SET, slab.Start.data(), slab.Stride.data(),
              slab.Count.data(), slab.Block.data()),
    0);
}

hid_t MakeTransfer(const Team& team, const Layout& layout, bool mustBeCollective = false)
{
  const hid_t dxpl = H5Pcreate(H5P_DATASET_XFER);
  if (team.Comm != MPI_COMM_NULL)
  {
    const bool collective = layout.Collective || mustBeCollective;
    EXPECT_GE(H5Pset_dxpl_mpio(dxpl, collective ? H5FD_MPIO_COLLECTIVE : H5FD_MPIO_INDEPENDENT), 0);
  }
  if (layout.Transfer != H5FD_DSM_TRANSFER_AUTO)
  {
    EXPECT_GE(H5Pset_dxpl_dsm_transfer(dxpl, layout.Transfer), 0);
  }
  if (!layout.SelectionIo)
  {
    EXPECT_GE(H5Pset_selection_io(dxpl, H5D_SELECTION_IO_MODE_OFF), 0);
  }
  return dxpl;
}

hid_t MakeCreation(const std::array<hsize_t, 2>* chunk = nullptr, bool filters = false)
{
  const hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
  EXPECT_GE(H5Pset_obj_track_times(dcpl, false), 0); // so that equal files have equal bytes
  if (chunk)
  {
    EXPECT_GE(H5Pset_chunk(dcpl, 2, chunk->data()), 0);
  }
  if (filters)
  {
    EXPECT_GE(H5Pset_shuffle(dcpl), 0);
    EXPECT_GE(H5Pset_deflate(dcpl, 4), 0);
  }
  return dcpl;
}

/// The memory a transfer uses: a border of other elements around those it moves, so that the
/// selection in memory is not simple either.
class Buffer
{
public:
  explicit Buffer(hsize_t elements)
    : Used(elements)
    , Values(elements * 2 + 6, -1.0)
  {
  }
  double& At(hsize_t index) { return this->Values[2 * index + 3]; }
  double* Data() { return this->Values.data(); }
  hid_t MakeSpace() const
  {
    const hsize_t size = this->Values.size();
    const hid_t space = H5Screate_simple(1, &size, nullptr);
    if (this->Used == 0)
    {
      H5Sselect_none(space);
      return space;
    }
    const hsize_t start = 3;
    const hsize_t stride = 2;
    EXPECT_GE(H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, &stride, &this->Used, nullptr), 0);
    return space;
  }

private:
  hsize_t Used;
  std::vector<double> Values;
};

void WritePart(hid_t set, hid_t dxpl, const Slab& slab, int which)
{
  const Id space(H5Dget_space(set), H5Sclose);
  Select(space, slab);
  Buffer buffer(slab.Elements());
  for (hsize_t i = 0; i < slab.Elements(); ++i)
  {
    const auto place = ElementOf(slab, i);
    buffer.At(i) = ValueAt(place[0], place[1], which);
  }
  const Id memory(buffer.MakeSpace(), H5Sclose);
  EXPECT_GE(H5Dwrite(set, H5T_NATIVE_DOUBLE, memory, space, dxpl, buffer.Data()), 0);
}

void CheckPart(hid_t set, hid_t dxpl, const Slab& slab, int which, const std::string& what)
{
  const Id space(H5Dget_space(set), H5Sclose);
  Select(space, slab);
  Buffer buffer(slab.Elements());
  const Id memory(buffer.MakeSpace(), H5Sclose);
  ASSERT_GE(H5Dread(set, H5T_NATIVE_DOUBLE, memory, space, dxpl, buffer.Data()), 0) << what;
  int wrong = 0;
  for (hsize_t i = 0; i < slab.Elements(); ++i)
  {
    const auto place = ElementOf(slab, i);
    if (buffer.At(i) != ValueAt(place[0], place[1], which) && ++wrong < 4)
    {
      ADD_FAILURE() << what << "[" << place[0] << "," << place[1] << "] is " << buffer.At(i);
    }
  }
  EXPECT_EQ(0, wrong) << what;
}

/// The two-dimensional datasets: how each is stored and cut when it is written.
struct Dataset
{
  const char* Name;
  Cut Written;
  bool Chunked;
  bool Filtered;
  bool Float; ///< stored in single precision: a type conversion on the way
};

constexpr std::array<Dataset, 9> Datasets{ {
  { "rows", ByRows, false, false, false },
  { "columns", ByColumns, false, false, false },
  { "pattern", ByPattern, false, false, false },
  { "blocks", ByChunk, false, false, false },
  { "converted", ByColumns, false, false, true },
  { "chunked rows", ByRows, true, false, false },
  { "chunked pattern", ByPattern, true, false, false },
  { "chunked converted", ByChunk, true, false, true },
  { "filtered", ByColumns, true, true, false },
} };

hid_t CreateDataset(hid_t where, const Dataset& about, const Layout& layout)
{
  const std::array<hsize_t, 2> size{ layout.Rows, layout.Columns };
  const std::array<hsize_t, 2> most{ H5S_UNLIMITED, layout.Columns };
  const Id space(H5Screate_simple(2, size.data(), about.Chunked ? most.data() : nullptr), H5Sclose);
  const Id dcpl(MakeCreation(about.Chunked ? &Chunk : nullptr, about.Filtered), H5Pclose);
  return H5Dcreate2(where, about.Name, about.Float ? H5T_IEEE_F32LE : H5T_IEEE_F64LE, space,
    H5P_DEFAULT, dcpl, H5P_DEFAULT);
}

/// Values that single precision holds exactly.
int SeedOf(std::size_t index)
{
  return static_cast<int>(index % 4);
}

void WriteAttributes(hid_t where, const std::string& prefix)
{
  for (int i = 0; i < 12; ++i)
  {
    const hsize_t size = 3;
    const Id space(H5Screate_simple(1, &size, nullptr), H5Sclose);
    const Id attribute(H5Acreate2(where, (prefix + std::to_string(i)).c_str(), H5T_STD_I32LE, space,
                         H5P_DEFAULT, H5P_DEFAULT),
      H5Aclose);
    const std::array<int, 3> values{ i, i * i, -i };
    EXPECT_GE(H5Awrite(attribute, H5T_NATIVE_INT, values.data()), 0);
  }
}

void CheckAttributes(hid_t where, const std::string& prefix)
{
  for (int i = 0; i < 12; ++i)
  {
    const Id attribute(H5Aopen(where, (prefix + std::to_string(i)).c_str(), H5P_DEFAULT), H5Aclose);
    std::array<int, 3> values{};
    ASSERT_GE(H5Aread(attribute, H5T_NATIVE_INT, values.data()), 0);
    EXPECT_EQ((std::array<int, 3>{ i, i * i, -i }), values);
  }
}

/// Single elements, scattered: each rank has some of every row.
void SelectPoints(hid_t space, const Layout& layout, const Team& team, std::vector<hsize_t>& points)
{
  for (hsize_t row = 0; row < layout.Rows; ++row)
  {
    for (hsize_t column = 0; column < layout.Columns; ++column)
    {
      if ((row * 7 + column * 3) % static_cast<hsize_t>(team.Size) ==
        static_cast<hsize_t>(team.Rank))
      {
        // Not in the order in which they lie in the file.
        points.insert(points.begin(), { row, column });
      }
    }
  }
  if (points.empty())
  {
    H5Sselect_none(space);
    return;
  }
  EXPECT_GE(H5Sselect_elements(space, H5S_SELECT_SET, points.size() / 2, points.data()), 0);
}

void WritePoints(hid_t file, hid_t dxpl, const Team& team, const Layout& layout)
{
  const Dataset about{ "points", ByRows, false, false, false };
  const Id set(CreateDataset(file, about, layout), H5Dclose);
  const Id space(H5Dget_space(set), H5Sclose);
  std::vector<hsize_t> points;
  SelectPoints(space, layout, team, points);
  std::vector<double> values(points.size() / 2 + 1);
  for (std::size_t i = 0; i < points.size() / 2; ++i)
  {
    values[i] = ValueAt(points[2 * i], points[2 * i + 1], 2);
  }
  const hsize_t size = points.size() / 2;
  const Id memory(size > 0 ? H5Screate_simple(1, &size, nullptr) : H5Screate(H5S_NULL), H5Sclose);
  EXPECT_GE(H5Dwrite(set, H5T_NATIVE_DOUBLE, memory, space, dxpl, values.data()), 0);
}

/// Several datasets in one call; the call mixes layouts.
void WriteMulti(hid_t file, hid_t dxpl, const Team& team, const Layout& layout)
{
  const Dataset first{ "multi 1", ByRows, false, false, false };
  const Dataset second{ "multi 2", ByRows, true, false, false };
  const Id one(CreateDataset(file, first, layout), H5Dclose);
  const Id two(CreateDataset(file, second, layout), H5Dclose);
  const Slab slab = ByColumns(layout, team);
  const Id space(H5Dget_space(one), H5Sclose);
  Select(space, slab);
  Buffer buffer(slab.Elements());
  Buffer other(slab.Elements());
  for (hsize_t i = 0; i < slab.Elements(); ++i)
  {
    const auto place = ElementOf(slab, i);
    buffer.At(i) = ValueAt(place[0], place[1], 1);
    other.At(i) = ValueAt(place[0], place[1], 3);
  }
  const Id memory(buffer.MakeSpace(), H5Sclose);
  std::array<hid_t, 2> sets{ one, two };
  std::array<hid_t, 2> types{ H5T_NATIVE_DOUBLE, H5T_NATIVE_DOUBLE };
  std::array<hid_t, 2> memories{ memory, memory };
  std::array<hid_t, 2> spaces{ space, space };
  std::array<const void*, 2> buffers{ buffer.Data(), other.Data() };
  EXPECT_GE(H5Dwrite_multi(
              2, sets.data(), types.data(), memories.data(), spaces.data(), dxpl, buffers.data()),
    0);
}

/// Enough groups and small datasets to make HDF5's own trees grow.
void WriteTree(hid_t file)
{
  const Id gcpl(H5Pcreate(H5P_GROUP_CREATE), H5Pclose);
  H5Pset_obj_track_times(gcpl, false);
  for (int i = 0; i < 20; ++i)
  {
    const Id group(
      H5Gcreate2(file, ("group " + std::to_string(i)).c_str(), H5P_DEFAULT, gcpl, H5P_DEFAULT),
      H5Gclose);
    const hsize_t size = 10;
    const Id space(H5Screate_simple(1, &size, nullptr), H5Sclose);
    const Id dcpl(MakeCreation(), H5Pclose);
    H5Pset_layout(dcpl, i % 2 == 0 ? H5D_COMPACT : H5D_CONTIGUOUS);
    const int fill = 7;
    H5Pset_fill_value(dcpl, H5T_NATIVE_INT, &fill);
    H5Pset_fill_time(dcpl, H5D_FILL_TIME_ALLOC);
    H5Pset_alloc_time(dcpl, H5D_ALLOC_TIME_EARLY);
    const Id set(
      H5Dcreate2(group, "small", H5T_STD_I32LE, space, H5P_DEFAULT, dcpl, H5P_DEFAULT), H5Dclose);
  }
}

void CheckTree(hid_t file)
{
  for (int i = 0; i < 20; ++i)
  {
    const Id set(
      H5Dopen2(file, ("group " + std::to_string(i) + "/small").c_str(), H5P_DEFAULT), H5Dclose);
    std::array<int, 10> values{};
    ASSERT_GE(H5Dread(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
    for (const int value : values)
    {
      EXPECT_EQ(7, value);
    }
  }
}

bool Wanted(const Dataset& about, const Layout& layout)
{
  return !about.Filtered || layout.Filters;
}

}

Team Team::Of(MPI_Comm comm)
{
  Team team;
  team.Comm = comm;
  MPI_Comm_rank(comm, &team.Rank);
  MPI_Comm_size(comm, &team.Size);
  return team;
}

// Not MPI_Barrier: who waits there takes a core, and often MPI's lock, from those it waits for.
void Team::Barrier() const
{
  if (this->Comm == MPI_COMM_NULL)
  {
    return;
  }
  MPI_Request all = MPI_REQUEST_NULL;
  MPI_Ibarrier(this->Comm, &all);
  int done = 0;
  MPI_Test(&all, &done, MPI_STATUS_IGNORE);
  while (!done)
  {
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    MPI_Test(&all, &done, MPI_STATUS_IGNORE);
  }
}

void Write(const std::string& name, hid_t fapl, const Team& team, const Layout& layout)
{
  const Id fcpl(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
  if (layout.UserBlock > 0)
  {
    ASSERT_GE(H5Pset_userblock(fcpl, layout.UserBlock), 0);
  }
  ASSERT_GE(H5Pset_obj_track_times(fcpl, false), 0); // of the root group
  const Id access(H5Pcopy(fapl), H5Pclose);
  if (layout.LatestFormat)
  {
    ASSERT_GE(H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST), 0);
  }
  const hid_t made = H5Fcreate(name.c_str(), H5F_ACC_TRUNC, fcpl, access);
  ASSERT_GE(made, 0) << name;
  const Id file(made, H5Fclose);
  const Id dxpl(MakeTransfer(team, layout), H5Pclose);
  for (std::size_t i = 0; i < Datasets.size(); ++i)
  {
    const Dataset& about = Datasets[i];
    if (Wanted(about, layout))
    {
      const Id set(CreateDataset(file, about, layout), H5Dclose);
      const Id how(MakeTransfer(team, layout, about.Filtered), H5Pclose);
      WritePart(set, how, about.Written(layout, team), SeedOf(i));
      if (i == 0)
      {
        WriteAttributes(set, "attribute ");
      }
    }
  }
  WriteTree(file);
  EXPECT_GE(H5Fflush(file, H5F_SCOPE_GLOBAL), 0);
  WritePoints(file, dxpl, team, layout);
  WriteMulti(file, dxpl, team, layout);
  WriteAttributes(file, "of the file ");
}

void Append(const std::string& name, hid_t fapl, const Team& team, const Layout& layout)
{
  const hid_t opened = H5Fopen(name.c_str(), H5F_ACC_RDWR, fapl);
  ASSERT_GE(opened, 0) << name;
  const Id file(opened, H5Fclose);
  const Id dxpl(MakeTransfer(team, layout), H5Pclose);
  {
    const Id set(H5Dopen2(file, "rows", H5P_DEFAULT), H5Dclose);
    WritePart(set, dxpl, ByColumns(layout, team), 3);
  }
  {
    Layout more = layout;
    more.Rows = layout.Rows * 2;
    const Id set(H5Dopen2(file, "chunked rows", H5P_DEFAULT), H5Dclose);
    const std::array<hsize_t, 2> size{ more.Rows, more.Columns };
    EXPECT_GE(H5Dset_extent(set, size.data()), 0);
    WritePart(set, dxpl, ByRows(more, team), 2);
  }
  const Dataset added{ "added", ByRows, false, false, false };
  const Id set(CreateDataset(file, added, layout), H5Dclose);
  WritePart(set, dxpl, ByPattern(layout, team), 1);
  WriteAttributes(set, "attribute ");
}

void Check(
  const std::string& name, hid_t fapl, const Team& team, const Layout& layout, bool appended)
{
  const hid_t opened = H5Fopen(name.c_str(), H5F_ACC_RDONLY, fapl);
  ASSERT_GE(opened, 0) << name;
  const Id file(opened, H5Fclose);
  const Id dxpl(MakeTransfer(team, layout), H5Pclose);
  Layout longer = layout;
  longer.Rows = appended ? layout.Rows * 2 : layout.Rows;
  constexpr std::array<std::pair<const char*, Cut>, 4> cuts{ { { " by rows", ByRows },
    { " by columns", ByColumns }, { " by pattern", ByPattern }, { " by blocks", ByChunk } } };
  for (std::size_t i = 0; i < Datasets.size(); ++i)
  {
    const Dataset& about = Datasets[i];
    if (!Wanted(about, layout))
    {
      continue;
    }
    const bool extended = appended && std::string(about.Name) == "chunked rows";
    const int seed = appended && i == 0 ? 3 : extended ? 2 : SeedOf(i);
    const Id set(H5Dopen2(file, about.Name, H5P_DEFAULT), H5Dclose);
    for (const auto& [text, cut] : cuts)
    {
      CheckPart(
        set, dxpl, cut(extended ? longer : layout, team), seed, std::string(about.Name) + text);
    }
  }
  const std::array<std::pair<const char*, int>, 3> more{ { { "points", 2 }, { "multi 1", 1 },
    { "multi 2", 3 } } };
  for (const auto& [text, seed] : more)
  {
    const Id set(H5Dopen2(file, text, H5P_DEFAULT), H5Dclose);
    CheckPart(set, dxpl, ByPattern(layout, team), seed, text);
  }
  if (appended)
  {
    const Id set(H5Dopen2(file, "added", H5P_DEFAULT), H5Dclose);
    CheckPart(set, dxpl, ByRows(layout, team), 1, "added");
    CheckAttributes(set, "attribute ");
  }
  const Id rows(H5Dopen2(file, "rows", H5P_DEFAULT), H5Dclose);
  CheckAttributes(rows, "attribute ");
  CheckAttributes(file, "of the file ");
  CheckTree(file);
}

std::vector<char> Bytes(const std::string& path)
{
  std::ifstream stream(path, std::ios::binary | std::ios::ate);
  EXPECT_TRUE(stream) << path;
  std::vector<char> bytes(stream ? static_cast<std::size_t>(stream.tellg()) : 0);
  stream.seekg(0);
  stream.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  EXPECT_TRUE(stream) << path;
  return bytes;
}

bool SameContents(const std::string& one, const std::string& other)
{
  return std::system(("h5diff '" + one + "' '" + other + "'").c_str()) == 0;
}

}
