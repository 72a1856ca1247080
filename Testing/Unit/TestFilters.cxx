// SPDX-License-Identifier: BSD-3-Clause
// Filters in h5repack's words.
#include "Tools/Repack/Filters.h"

#include "Base/Error.h"
#include "Tools/Hdf5Objects.h"

#include <gtest/gtest.h>

namespace
{

using namespace dsm;
using repack::Filter;

struct Found
{
  H5Z_filter_t Number;
  unsigned Flags;
  std::vector<unsigned> Values;

  bool operator==(const Found&) const = default;
};

std::vector<Found> Added(const std::vector<std::string>& words)
{
  const Hdf5Object list(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  for (const std::string& word : words)
  {
    Filter::FromText(word).AddTo(list);
  }
  std::vector<Found> all;
  for (int i = 0; i < H5Pget_nfilters(list); ++i)
  {
    Found found;
    std::size_t count = 8;
    found.Values.resize(count);
    found.Number = H5Pget_filter2(list, static_cast<unsigned>(i), &found.Flags, &count,
      found.Values.data(), 0, nullptr, nullptr);
    found.Values.resize(count);
    all.push_back(found);
  }
  return all;
}

TEST(Filters, InTheirOrder)
{
  const std::vector<Found> expected{ { H5Z_FILTER_SHUFFLE, H5Z_FLAG_OPTIONAL, {} },
    { H5Z_FILTER_DEFLATE, H5Z_FLAG_OPTIONAL, { 6 } }, { H5Z_FILTER_FLETCHER32, 0, {} } };
  EXPECT_EQ(Added({ "SHUF", "GZIP=6", "FLET" }), expected);
  // By its number, as any that is not HDF5's own.
  EXPECT_EQ(Added({ "UD=1,1,1,9" }),
    (std::vector<Found>{ { H5Z_FILTER_DEFLATE, H5Z_FLAG_OPTIONAL, { 9 } } }));
}

TEST(Filters, WhatIsNone)
{
  for (const char* text : { "", "gzip", "GZIP", "GZIP=", "GZIP=10", "GZIP=-1", "GZIP=6,7", "SHUF=1",
         "UD=", "UD=1", "UD=1,1,2,9", "UD=1,1,1", "UD=1,1,1,", "UD=70000,0,0", "UD=1;1;0" })
  {
    EXPECT_THROW(
      {
        try
        {
          Filter::FromText(text);
        }
        catch (const Error& error)
        {
          EXPECT_EQ(error.GetFault(), Fault::Usage) << text;
          throw;
        }
      },
      Error)
      << text;
  }
}

TEST(Filters, ThatThisHdf5DoesNotHave)
{
  try
  {
    Filter::FromText("UD=31999,0,0");
    FAIL();
  }
  catch (const Error& error)
  {
    EXPECT_EQ(error.GetFault(), Fault::Unsupported);
    EXPECT_NE(std::string(error.what()).find("HDF5_PLUGIN_PATH"), std::string::npos);
  }
}

}
