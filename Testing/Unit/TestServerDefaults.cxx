// SPDX-License-Identifier: BSD-3-Clause
#include "Base/Error.h"
#include "Server/ServerDefaults.h"
#include "Transport/ChooseTransport.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <unistd.h>

namespace
{
namespace fs = std::filesystem;
using dsm::ServerDefaults;

// A configuration folder of its own, and none of the variables that matter.
class ServerDefaultsTest : public testing::Test
{
protected:
  ServerDefaultsTest()
  {
    std::string name = (fs::temp_directory_path() / "dsm-defaults-XXXXXX").string();
    this->Folder = mkdtemp(name.data());
    for (const char* variable : { "DSM_DEFAULTS", "DSM_STRATEGY", "DSM_BLOCK_SIZE",
           "DSM_BLOCKS_PER_CYCLE", "DSM_SEED", "DSM_TRANSPORT", "DSM_NODE_MEMORY" })
    {
      unsetenv(variable);
    }
    setenv("XDG_CONFIG_HOME", this->Folder.c_str(), 1);
  }
  ~ServerDefaultsTest() override
  {
    for (const char* variable : { "XDG_CONFIG_HOME", "DSM_BLOCK_SIZE", "DSM_TRANSPORT" })
    {
      unsetenv(variable);
    }
    setenv("DSM_DEFAULTS", "off", 1);
    fs::remove_all(this->Folder);
  }

  std::string ReasonAgainst(const std::string& text) const
  {
    std::ofstream(this->Folder + "/given.json") << text;
    setenv("DSM_DEFAULTS", (this->Folder + "/given.json").c_str(), 1);
    try
    {
      ServerDefaults::Read();
      return "none";
    }
    catch (const dsm::Error& error)
    {
      return error.what();
    }
  }

  std::string Folder;
};

TEST_F(ServerDefaultsTest, AreBuiltInWithoutAFile)
{
  EXPECT_EQ(ServerDefaults::Path(), this->Folder + "/paraview-dsm/defaults.json");
  EXPECT_EQ(ServerDefaults::Read(), ServerDefaults());
}

TEST_F(ServerDefaultsTest, ComeFromTheFileAndTheEnvironmentGoesBefore)
{
  ServerDefaults written;
  written.Map.Strategy = "contiguous";
  written.Map.BlockSize = 100001;
  written.Transport = dsm::TransportFromText("mpi-rma,fabric:8KiB");
  written.Write(ServerDefaults::Path());
  EXPECT_EQ(ServerDefaults::Read(), written);
  EXPECT_EQ(std::distance(fs::directory_iterator(this->Folder + "/paraview-dsm"), {}), 1);

  setenv("DSM_BLOCK_SIZE", "64 KiB", 1);
  setenv("DSM_TRANSPORT", "shared-memory", 1);
  const auto read = ServerDefaults::Read();
  EXPECT_EQ(read.Map.Strategy, "contiguous");
  EXPECT_EQ(read.Map.BlockSize, 65536u);
  EXPECT_EQ(read.Transport.Heavy, "shared-memory");

  setenv("DSM_DEFAULTS", "off", 1);
  EXPECT_EQ(ServerDefaults::Read().Map.Strategy, dsm::Redistribution().Strategy);
}

TEST_F(ServerDefaultsTest, AreWhereTheHomeFolderIsWithoutConfigurationFolder)
{
  unsetenv("XDG_CONFIG_HOME");
  const std::string home = std::getenv("HOME") ? std::getenv("HOME") : "";
  setenv("HOME", "/somewhere", 1);
  EXPECT_EQ(ServerDefaults::Path(), "/somewhere/.config/paraview-dsm/defaults.json");
  setenv("HOME", home.c_str(), 1);
}

TEST_F(ServerDefaultsTest, NonsenseIsNamedWithItsFile)
{
  const std::string good = R"({"Format": "ParaView DSM server defaults", )";
  for (const std::string& wrong : { std::string("nothing"), std::string("{}"),
         good + R"("Strategy": "by hand"})", good + R"("BlockSize": "12 parsecs"})",
         good + R"("BlockSize": 7})", good + R"("Transport": "pigeon"})" })
  {
    const auto reason = this->ReasonAgainst(wrong);
    EXPECT_NE(reason.find("given.json"), std::string::npos) << wrong << ": " << reason;
    EXPECT_NE(reason.find("DSM_DEFAULTS=off"), std::string::npos) << wrong << ": " << reason;
  }
  EXPECT_EQ(this->ReasonAgainst(good + R"("Strategy": "contiguous"})"), "none");
  EXPECT_EQ(this->ReasonAgainst(good + R"("BlockSize": "automatic"})"), "none");
}

}
