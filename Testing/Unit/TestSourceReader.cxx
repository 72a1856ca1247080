// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/SourceReader.h"

#include "Base/Error.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numeric>
#include <random>
#include <string>

using namespace dsm::describe;
using dsm::Error;
using dsm::hdf5::DatasetHandle;
using dsm::hdf5::FileHandle;
using dsm::hdf5::PropertiesHandle;
using dsm::hdf5::SpaceHandle;
using dsm::hdf5::TypeHandle;

namespace
{
// A file in this process's memory, whose datasets hold 0, 1, 2 … in their own order.
class SourceReaderTest : public testing::Test
{
protected:
  SourceReaderTest()
  {
    const PropertiesHandle access(H5Pcreate(H5P_FILE_ACCESS));
    H5Pset_fapl_core(access, 1 << 20, false);
    this->File = FileHandle(H5Fcreate("unit.h5", H5F_ACC_TRUNC, H5P_DEFAULT, access));
  }

  void Write(const char* path, std::vector<hsize_t> shape, hid_t type = H5T_NATIVE_DOUBLE,
    const std::vector<hsize_t>& chunk = {})
  {
    const hsize_t size =
      std::accumulate(shape.begin(), shape.end(), hsize_t(1), std::multiplies<hsize_t>());
    std::vector<double> values(size);
    std::iota(values.begin(), values.end(), 0.0);
    const PropertiesHandle creation(H5Pcreate(H5P_DATASET_CREATE));
    if (!chunk.empty())
    {
      H5Pset_chunk(creation, static_cast<int>(chunk.size()), chunk.data());
      H5Pset_deflate(creation, 1);
    }
    const SpaceHandle space(
      H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr));
    const DatasetHandle made(
      H5Dcreate2(this->File, path, type, space, H5P_DEFAULT, creation, H5P_DEFAULT));
    ASSERT_GE(H5Dwrite(made, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
  }

  // Returns where the file has the numbers of a source, or why they have to be read.
  StoredDataset::Place PlaceOf(
    const Source& source, const Window& window, Number as = Number::Float64)
  {
    return SourceReader(this->File).PlaceOf(source, window, as);
  }

  // The numbers that the file's bytes have there.
  std::vector<double> BytesAt(const StoredDataset::Place& place)
  {
    H5Fflush(this->File, H5F_SCOPE_LOCAL);
    std::vector<std::byte> image(
      static_cast<std::size_t>(H5Fget_file_image(this->File, nullptr, 0)));
    H5Fget_file_image(this->File, image.data(), image.size());
    std::vector<double> numbers(place.Bytes / sizeof(double));
    if (place.Address + place.Bytes <= image.size())
    {
      std::memcpy(numbers.data(), image.data() + place.Address, place.Bytes);
    }
    return numbers;
  }

  std::vector<double> Read(const Source& source, const Window& window)
  {
    return SourceReader(this->File).Numbers(source, window);
  }

  FileHandle File;
};

constexpr auto X = Role::X;
constexpr auto Y = Role::Y;
constexpr auto Z = Role::Z;
constexpr auto C = Role::Component;
using Expected = std::vector<double>;
}

TEST_F(SourceReaderTest, OrderOfMemory)
{
  this->Write("/u", { 2, 3 });
  EXPECT_EQ(this->Read({ Stored{ "/u" }, { { Y, 0, 2 }, { X, 0, 3 } } }, { { 0, 3 }, { 0, 2 } }),
    (Expected{ 0, 1, 2, 3, 4, 5 }));
}

TEST_F(SourceReaderTest, Transposed)
{
  this->Write("/u", { 2, 3 });
  EXPECT_EQ(this->Read({ Stored{ "/u" }, { { X, 0, 2 }, { Y, 0, 3 } } }, { { 0, 2 }, { 0, 3 } }),
    (Expected{ 0, 3, 1, 4, 2, 5 }));
}

// More than is read at once, the last slab a short one; in chunks that no slab's length divides.
TEST_F(SourceReaderTest, LargerThanASlab)
{
  constexpr std::uint64_t rows = 1201, columns = 1000;
  this->Write("/u", { rows, columns });
  this->Write("/chunked", { rows, columns }, H5T_NATIVE_DOUBLE, { 7, columns });
  for (const char* const path : { "/u", "/chunked" })
  {
    const auto found =
      this->Read({ Stored{ path }, { { X, 0, rows, 1, true }, { Y, 0, columns } } },
        { { 1, rows - 2 }, { 0, columns } });
    ASSERT_EQ(found.size(), (rows - 2) * columns);
    std::size_t wrong = 0;
    for (std::uint64_t y = 0; y < columns; ++y)
    {
      for (std::uint64_t x = 0; x < rows - 2; ++x)
      {
        const auto expected = static_cast<double>((rows - 2 - x) * columns + y);
        wrong += found[y * (rows - 2) + x] == expected ? 0 : 1;
      }
    }
    EXPECT_EQ(wrong, 0) << path;
  }
}

TEST_F(SourceReaderTest, ReversedAndPartOfIt)
{
  this->Write("/u", { 4, 3 });
  const Source source{ Stored{ "/u" }, { { Y, 0, 4, 1, true }, { X, 0, 3 } } };
  EXPECT_EQ(
    this->Read(source, { { 1, 2 }, { 1, 3 } }), (Expected{ 7, 8, 4, 5, 1, 2 })); // rows 2, 1, 0
}

TEST_F(SourceReaderTest, StridesAndFixedOnes)
{
  this->Write("/u", { 3, 10 });
  EXPECT_EQ(this->Read({ Stored{ "/u" }, { { Role::Time, 2 }, { X, 1, 3, 4 } } }, { { 1, 2 } }),
    (Expected{ 25, 29 }));
}

TEST_F(SourceReaderTest, ComponentsWhereverTheyAre)
{
  this->Write("/u", { 2, 3 });
  EXPECT_EQ(this->Read({ Stored{ "/u" }, { { C, 0, 2 }, { X, 0, 3 } } }, { { 0, 3 } }),
    (Expected{ 0, 3, 1, 4, 2, 5 }));
  this->Write("/t", { 2, 2, 3 });
  EXPECT_EQ(this->Read({ Stored{ "/t" }, { { C, 0, 2 }, { C, 0, 2 }, { X, 0, 3 } } }, { { 1, 1 } }),
    (Expected{ 1, 4, 7, 10 }));
}

TEST_F(SourceReaderTest, ComponentsOfTheirOwn)
{
  this->Write("/u", { 3 });
  SourceReader reader(this->File);
  std::vector<float> found(9, -1);
  reader.Read(
    { Stored{ "/u" }, { { X, 0, 3 } } }, { { 0, 3 } }, { found.data(), Number::Float32, 3, 1 });
  EXPECT_EQ(found, (std::vector<float>{ -1, 0, -1, -1, 1, -1, -1, 2, -1 }));
}

TEST_F(SourceReaderTest, WhatIsNotThereRepeats)
{
  this->Write("/z", { 2 });
  EXPECT_EQ(this->Read({ Stored{ "/z" }, { { Z, 0, 2 } } }, { { 0, 2 }, { 0, 1 }, { 0, 2 } }),
    (Expected{ 0, 0, 1, 1 }));
  EXPECT_EQ(this->Read({ Constant{ 7 } }, { { 0, 3 } }), (Expected{ 7, 7, 7 }));
  EXPECT_EQ(
    this->Read({ Literal{ { 1, 2, 3, 4 } }, { { Y, 0, 2 }, { X, 0, 2 } } }, { { 0, 2 }, { 1, 1 } }),
    (Expected{ 3, 4 }));
}

TEST_F(SourceReaderTest, Blocks)
{
  this->Write("/u", { 2, 3, 4 });
  Window window{ { 1, 2 } };
  window.Block = 2;
  EXPECT_EQ(
    this->Read({ Stored{ "/u" }, { { C, 0, 2 }, { Role::Block, 0, 3 }, { X, 0, 4 } } }, window),
    (Expected{ 9, 21, 10, 22 }));
  window.Block = 3;
  EXPECT_THROW(
    this->Read({ Stored{ "/u" }, { { C, 0, 2 }, { Role::Block, 0, 3 }, { X, 0, 4 } } }, window),
    Error);
}

TEST_F(SourceReaderTest, CountedThrough)
{
  this->Write("/u", { 4, 5 });
  // 2 x 3 numbers from the 6th on.
  const Source source{ Stored{ "/u", {}, {}, 6 }, { { Y, 0, 2 }, { X, 0, 3 } } };
  EXPECT_EQ(this->Read(source, { { 0, 3 }, { 0, 2 } }), (Expected{ 6, 7, 8, 9, 10, 11 }));
  EXPECT_EQ(this->Read(source, { { 1, 2 }, { 1, 1 } }), (Expected{ 10, 11 }));
  EXPECT_THROW(this->Read({ Stored{ "/u", {}, {}, 15 }, { { Y, 0, 2 }, { X, 0, 3 } } },
                 { { 0, 3 }, { 0, 2 } }),
    Error);
}

TEST_F(SourceReaderTest, ScaledAndMissing)
{
  this->Write("/i", { 4 }, H5T_STD_I16BE);
  Source source{ Stored{ "/i" }, { { X, 0, 4 } } };
  source.Missing = { 2 };
  EXPECT_EQ(SourceReader(this->File).TypeOf(source), Number::Float32);
  source.Scale = 10;
  source.Offset = 1;
  EXPECT_EQ(SourceReader(this->File).TypeOf(source), Number::Float64);
  const auto found = this->Read(source, { { 0, 4 } });
  EXPECT_EQ(found[1], 11);
  EXPECT_TRUE(std::isnan(found[2]));
  EXPECT_EQ(found[3], 31);
}

TEST_F(SourceReaderTest, Sums)
{
  this->Write("/u", { 3 });
  Source source{ Stored{ "/u" }, { { X, 0, 3 } } };
  source.Scale = 2;
  source.Added.push_back({ Constant{ 5 } });
  source.Added.push_back({ Stored{ "/u" }, { { X, 0, 3, 1, true } } });
  EXPECT_EQ(this->Read(source, { { 0, 3 } }), (Expected{ 7, 8, 9 }));
}

TEST_F(SourceReaderTest, MembersAndEnumerations)
{
  struct Pair
  {
    double Real;
    int Whole;
  };
  const TypeHandle pair(H5Tcreate(H5T_COMPOUND, sizeof(Pair)));
  H5Tinsert(pair, "r", HOFFSET(Pair, Real), H5T_NATIVE_DOUBLE);
  H5Tinsert(pair, "i", HOFFSET(Pair, Whole), H5T_NATIVE_INT);
  const hsize_t count = 2;
  const SpaceHandle space(H5Screate_simple(1, &count, nullptr));
  {
    const DatasetHandle made(
      H5Dcreate2(this->File, "/c", pair, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    const std::array<Pair, 2> values{ { { 1.5, 2 }, { 3.5, 4 } } };
    H5Dwrite(made, pair, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  }
  const Source real{ Stored{ "/c", {}, "r" }, { { X, 0, 2 } } };
  const Source whole{ Stored{ "/c", {}, "i" }, { { X, 0, 2 } } };
  EXPECT_EQ(this->Read(real, { { 0, 2 } }), (Expected{ 1.5, 3.5 }));
  EXPECT_EQ(this->Read(whole, { { 0, 2 } }), (Expected{ 2, 4 }));
  SourceReader reader(this->File);
  EXPECT_EQ(reader.TypeOf(whole), Number::Int32);
  EXPECT_EQ(reader.TypeOf(std::vector{ real, whole }), Number::Float64);
  EXPECT_THROW(reader.TypeOf(Source{ Stored{ "/c" }, { { X, 0, 2 } } }), Error);

  const TypeHandle color(H5Tenum_create(H5T_STD_I8LE));
  for (const auto value : std::array<std::int8_t, 2>{ 3, 4 })
  {
    H5Tenum_insert(color, value == 3 ? "red" : "blue", &value);
  }
  const DatasetHandle made(
    H5Dcreate2(this->File, "/e", color, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  const std::array<std::int8_t, 2> values{ 4, 3 };
  H5Dwrite(made, color, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  EXPECT_EQ(this->Read({ Stored{ "/e" }, { { X, 0, 2 } } }, { { 0, 2 } }), (Expected{ 4, 3 }));
}

TEST_F(SourceReaderTest, ReadsElementsThatAreArrays)
{
  struct Row
  {
    int Key;
    std::array<double, 3> Values;
  };
  const hsize_t three = 3, count = 4;
  const TypeHandle array(H5Tarray_create2(H5T_NATIVE_DOUBLE, 1, &three));
  const TypeHandle row(H5Tcreate(H5T_COMPOUND, sizeof(Row)));
  H5Tinsert(row, "key", HOFFSET(Row, Key), H5T_NATIVE_INT);
  H5Tinsert(row, "values", HOFFSET(Row, Values), array);
  std::vector<Row> rows;
  std::vector<double> plain;
  for (int index = 0; index < 4; ++index)
  {
    const double first = 10.0 * index;
    rows.push_back({ index, { first, first + 1, first + 2 } });
    plain.insert(plain.end(), { first, first + 1, first + 2 });
  }
  const SpaceHandle space(H5Screate_simple(1, &count, nullptr));
  const auto write = [&](const char* path, hid_t type, const void* values)
  {
    const DatasetHandle made(
      H5Dcreate2(this->File, path, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    ASSERT_GE(H5Dwrite(made, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), 0);
  };
  write("/rows", row, rows.data());
  write("/plain", array, plain.data());
  const Window middle{ {}, {}, {}, { 1, 2 } };
  for (const Stored& from : { Stored{ "/rows", {}, "values" }, Stored{ "/plain" } })
  {
    EXPECT_EQ(this->Read({ from, { { Role::Index, 0, 4 }, { Role::Component, 0, 3 } } }, middle),
      (Expected{ 10, 11, 12, 20, 21, 22 }));
    EXPECT_EQ(this->Read({ from, { { Role::Index, 0, 4 }, { Role::Fixed, 2 } } }, middle),
      (Expected{ 12, 22 }));
    EXPECT_EQ(this->Read({ from, { { Role::Index, 0, 4, 1, true }, { Role::Component, 1, 2 } } },
                { {}, {}, {}, { 0, 2 } }),
      (Expected{ 31, 32, 21, 22 }));
  }
}

TEST_F(SourceReaderTest, WhatADescriptionGetsWrong)
{
  this->Write("/u", { 2, 3 });
  const Window window{ { 0, 3 }, { 0, 2 } };
  const auto refused = [&](const Source& source, const char* why)
  {
    try
    {
      this->Read(source, window);
      ADD_FAILURE() << "nothing was thrown for " << why;
    }
    catch (const Error& error)
    {
      EXPECT_NE(std::string(error.what()).find(why), std::string::npos) << error.what();
    }
  };
  refused({ Stored{ "/none" }, { { Y, 0, 2 }, { X, 0, 3 } } }, "/none cannot be opened");
  refused({ Stored{ "/u" }, { { X, 0, 6 } } }, "has 2 dimensions");
  refused({ Stored{ "/u" }, { { Y, 0, 2 }, { X, 1, 3 } } }, "more of dataset /u");
  refused({ Stored{ "/u" }, { { Role::Fixed, 2 }, { X, 0, 3 } } }, "more of dataset /u");
  refused({ Stored{ "/u" }, { { Y, 0, 2 }, { X, 0, 2 } } }, "more of dataset /u");
  refused({ Stored{ "/u" }, { { Y, 0, 2 }, { X, 0, 3, std::uint64_t(1) << 63 } } }, "more of");
  refused({ Stored{ "/u", {}, "r" }, { { Y, 0, 2 }, { X, 0, 3 } } }, "no member r");
  refused({ Literal{ { 1, 2 } }, { { X, 0, 3 } } }, "more of what the description gives");
  refused({ Stored{ "/u", "/no/such/file.h5" }, {} }, "/no/such/file.h5 cannot be opened");
}

// Any order of dimensions, parts, strides and directions, in and out of chunks, and larger than
// what is read at once: against the index that each number is.
TEST_F(SourceReaderTest, AnyLayout)
{
  std::mt19937 random(7);
  const auto below = [&](std::uint64_t limit)
  { return std::uniform_int_distribution<std::uint64_t>(0, limit - 1)(random); };
  for (int round = 0; round < 60; ++round)
  {
    std::vector<Role> roles{ X, Y, Z, C };
    std::shuffle(roles.begin(), roles.end(), random);
    const bool large = round % 20 == 19;
    std::vector<hsize_t> shape, chunk;
    Source source{ Stored{ fmt::format("/u{}", round) } };
    Window window;
    for (const Role role : roles)
    {
      shape.push_back(1 + below(large && role != C ? 120 : 6));
      chunk.push_back(1 + below(shape.back()));
      Dimension dimension{ role };
      dimension.Stride = role == C ? 1 : 1 + below(2);
      dimension.Start = role == C ? 0 : below((shape.back() + 1) / 2);
      dimension.Count = (shape.back() - dimension.Start - 1) / dimension.Stride + 1;
      dimension.Reversed = role != C && below(2) == 1;
      source.Dimensions.push_back(dimension);
      if (role != C)
      {
        Range& range = role == X ? window.X : role == Y ? window.Y : window.Z;
        range.First = below(dimension.Count);
        range.Count = 1 + below(dimension.Count - range.First);
      }
    }
    this->Write(std::get<Stored>(source.From).Path.c_str(), shape, H5T_NATIVE_FLOAT,
      round % 2 == 0 ? chunk : std::vector<hsize_t>{});
    const auto found = this->Read(source, window);

    std::vector<double> expected;
    const std::uint64_t components = ComponentsOf(source);
    for (std::uint64_t z = 0; z < window.Z.Count; ++z)
    {
      for (std::uint64_t y = 0; y < window.Y.Count; ++y)
      {
        for (std::uint64_t x = 0; x < window.X.Count; ++x)
        {
          for (std::uint64_t c = 0; c < components; ++c)
          {
            double value = 0;
            for (std::size_t axis = 0; axis < shape.size(); ++axis)
            {
              const Dimension& dimension = source.Dimensions[axis];
              std::uint64_t index = dimension.Is == X ? window.X.First + x
                : dimension.Is == Y                   ? window.Y.First + y
                : dimension.Is == Z                   ? window.Z.First + z
                                                      : c;
              index = dimension.Reversed ? dimension.Count - 1 - index : index;
              value = value * static_cast<double>(shape[axis]) +
                static_cast<double>(dimension.Start + index * dimension.Stride);
            }
            expected.push_back(value);
          }
        }
      }
    }
    ASSERT_EQ(found, expected) << "round " << round;
  }
}

TEST(Numbers, CommonTypes)
{
  EXPECT_EQ(Common(Number::Int8, Number::UInt8), Number::Int16);
  EXPECT_EQ(Common(Number::Int32, Number::UInt16), Number::Int32);
  EXPECT_EQ(Common(Number::Int64, Number::UInt64), Number::Float64);
  EXPECT_EQ(Common(Number::Float32, Number::Int16), Number::Float32);
  EXPECT_EQ(Common(Number::Float32, Number::Int32), Number::Float64);
  EXPECT_EQ(Common(Number::Float32, Number::Float64), Number::Float64);
}

TEST_F(SourceReaderTest, ThePlaceInTheFileHasWhatIsRead)
{
  this->Write("/u", { 4, 5, 6 });
  this->Write("/v", { 4, 5, 6, 3 });
  const Source scalars{ Stored{ "/u" }, { { Z, 0, 4 }, { Y, 0, 5 }, { X, 0, 6 } } };
  const Source vectors{ Stored{ "/v" }, { { Z, 0, 4 }, { Y, 0, 5 }, { X, 0, 6 }, { C, 0, 3 } } };
  const Source slice{ Stored{ "/u" }, { { Role::Time, 2, 1 }, { Y, 0, 5 }, { X, 0, 6 } } };
  for (const Source& source : { scalars, vectors })
  {
    for (const Range z : { Range{ 0, 4 }, Range{ 1, 2 }, Range{ 3, 1 } })
    {
      const Window window{ { 0, 6 }, { 0, 5 }, z };
      const auto place = this->PlaceOf(source, window);
      EXPECT_EQ(place.Why, "");
      EXPECT_EQ(this->BytesAt(place), this->Read(source, window));
    }
  }
  const Window plane{ { 0, 6 }, { 0, 5 } };
  EXPECT_EQ(this->BytesAt(this->PlaceOf(slice, plane)), this->Read(slice, plane));
  // A row of one plane, and part of a row.
  const Window row{ { 0, 6 }, { 2, 1 }, { 3, 1 } }, part{ { 1, 4 }, { 2, 1 }, { 3, 1 } };
  EXPECT_EQ(this->BytesAt(this->PlaceOf(scalars, row)), this->Read(scalars, row));
  EXPECT_EQ(this->BytesAt(this->PlaceOf(scalars, part)), this->Read(scalars, part));
}

TEST_F(SourceReaderTest, NumbersThatTheFileHasOtherwiseHaveNoPlace)
{
  this->Write("/u", { 4, 5 });
  this->Write("/big", { 4, 5 }, H5T_IEEE_F64BE);
  this->Write("/compressed", { 4, 5 }, H5T_NATIVE_DOUBLE, { 2, 5 });
  const auto of = [](const char* path)
  { return Source{ Stored{ path }, { { Y, 0, 4 }, { X, 0, 5 } } }; };
  const Window all{ { 0, 5 }, { 0, 4 } };
  EXPECT_EQ(this->PlaceOf(of("/u"), all).Why, "");
  EXPECT_EQ(this->PlaceOf(of("/u"), all, Number::Float32).Why, "its numbers are converted");
  EXPECT_EQ(this->PlaceOf(of("/big"), all).Why, "its numbers are converted");
  EXPECT_EQ(this->PlaceOf(of("/compressed"), all).Why, "it is compressed");
  EXPECT_EQ(this->PlaceOf(of("/u"), { { 0, 4 }, { 0, 4 } }).Why, "a part of it is shown");
  Source source = of("/u");
  source.Scale = 2;
  EXPECT_EQ(this->PlaceOf(source, all).Why, "its values are computed");
  source = of("/u");
  source.Missing = { -1 };
  EXPECT_EQ(this->PlaceOf(source, all).Why, "its values are computed");
  source = of("/u");
  source.Added = { of("/u") };
  EXPECT_EQ(this->PlaceOf(source, all).Why, "its values are computed");
  EXPECT_EQ(this->PlaceOf({ Constant{ 1 } }, all).Why, "its values are computed");
  source = of("/u");
  source.Dimensions[0].Reversed = true;
  EXPECT_EQ(this->PlaceOf(source, all).Why, "its order in the file is another one");
  source.Dimensions = { { X, 0, 4 }, { Y, 0, 5 } };
  EXPECT_EQ(
    this->PlaceOf(source, { { 0, 4 }, { 0, 5 } }).Why, "its order in the file is another one");
  // Repeated along Z.
  EXPECT_EQ(this->PlaceOf(of("/u"), { { 0, 5 }, { 0, 4 }, { 0, 2 } }).Why,
    "its order in the file is another one");
}

TEST_F(SourceReaderTest, NoPlaceForWhatIsInPiecesElsewhereOrNowhere)
{
  const std::array<hsize_t, 2> shape{ 4, 5 }, chunk{ 2, 5 };
  const SpaceHandle space(H5Screate_simple(2, shape.data(), nullptr));
  const auto make = [&](const char* path, const auto& prepare, hid_t type = H5T_NATIVE_DOUBLE)
  {
    const PropertiesHandle creation(H5Pcreate(H5P_DATASET_CREATE));
    prepare(creation);
    const DatasetHandle made(
      H5Dcreate2(this->File, path, type, space, H5P_DEFAULT, creation, H5P_DEFAULT));
    ASSERT_GE(made, 0) << path;
  };
  make("/chunked", [&](hid_t creation) { H5Pset_chunk(creation, 2, chunk.data()); });
  make("/compact", [](hid_t creation) { H5Pset_layout(creation, H5D_COMPACT); });
  make("/external", [](hid_t creation) { H5Pset_external(creation, "unit.raw", 0, 160); });
  make("/unwritten", [](hid_t) {});
  const TypeHandle compound(H5Tcreate(H5T_COMPOUND, 16));
  H5Tinsert(compound, "a", 0, H5T_NATIVE_DOUBLE);
  H5Tinsert(compound, "b", 8, H5T_NATIVE_DOUBLE);
  make(
    "/compound", [](hid_t creation) { H5Pset_alloc_time(creation, H5D_ALLOC_TIME_EARLY); },
    compound);
  const auto why = [&](const char* path, const char* member = "")
  {
    return this
      ->PlaceOf(
        { Stored{ path, {}, member }, { { Y, 0, 4 }, { X, 0, 5 } } }, { { 0, 5 }, { 0, 4 } })
      .Why;
  };
  EXPECT_EQ(why("/chunked"), "it is stored in chunks");
  EXPECT_EQ(why("/compact"), "it is part of its header");
  EXPECT_EQ(why("/external"), "its bytes are in another file");
  EXPECT_EQ(why("/unwritten"), "the file has no bytes of it");
  EXPECT_EQ(why("/compound", "b"), "it is a member of a compound");
}
