// SPDX-License-Identifier: BSD-3-Clause
#include "Archive/SeriesFile.h"

#include "Base/Error.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace
{

using namespace dsm;
namespace fs = std::filesystem;

std::string PathOf(const std::string& stream)
{
  SnapshotDescription snapshot;
  snapshot.Stream = stream;
  return SeriesFile::PathIn("/archive", snapshot);
}

TEST(SeriesFile, IsCalledAsItsStream)
{
  EXPECT_EQ(PathOf("out.#.vtkhdf"), "/archive/out.vtkhdf.series");
  EXPECT_EQ(PathOf("ez-#.#.h5"), "/archive/ez-.h5.series");
  EXPECT_EQ(PathOf("#.h5"), "/archive/steps.h5.series");
  EXPECT_EQ(PathOf("sim.h5"), "/archive/sim.h5.series");
  EXPECT_EQ(PathOf("a/out#.h5"), "/archive/a_out.h5.series");
}

TEST(SeriesFile, HasTheStepsByTheirTimes)
{
  std::string folder = (fs::temp_directory_path() / "dsm-series-XXXXXX").string();
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  const std::string path = folder + "/out.h5.series";
  SeriesFile first(path);
  first.Add("out.2.h5", 2);
  first.Add("out.10.h5", 10);
  first.Write();
  // Another run goes on with it.
  SeriesFile again(path);
  again.Add("out.1.h5", 1);
  again.Add("out.2.h5", 2.5);
  again.Write();
  std::ifstream file(path);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  EXPECT_EQ(text, R"({
  "file-series-version": "1.0",
  "files": [
    {
      "name": "out.1.h5",
      "time": 1.0
    },
    {
      "name": "out.2.h5",
      "time": 2.5
    },
    {
      "name": "out.10.h5",
      "time": 10.0
    }
  ]
}
)");
  SeriesFile fewer(path);
  for (const std::string name : { "out.1.h5", "out.2.h5", "none.h5" })
  {
    fewer.Remove(name);
  }
  fewer.Write();
  std::ifstream one(path);
  EXPECT_EQ(
    std::string((std::istreambuf_iterator<char>(one)), {}).find("out.1.h5"), std::string::npos);
  fewer.Remove("out.10.h5");
  fewer.Write();
  EXPECT_FALSE(fs::exists(path)) << "a series of no files";
  std::ofstream(path) << "something else";
  EXPECT_THROW(SeriesFile{ path }, Error);
  fs::remove_all(folder);
}

}
