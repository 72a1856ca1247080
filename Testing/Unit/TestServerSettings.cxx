// SPDX-License-Identifier: BSD-3-Clause
#include "Base/Error.h"
#include "Encoding/Encoding.h"
#include "Server/ServerDefaults.h"
#include "Server/ServerSettings.h"
#include "Server/SettingValues.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <string>
#include <utility>

namespace
{
using dsm::OptionsByDefault;
using dsm::ServerOptions;
using dsm::ServerSettings;
using dsm::Setting;
using dsm::SettingKind;
using dsm::SettingNamed;
using dsm::SettingValues;

// A value of each setting that is not its default, as a property and in words.
struct Example
{
  const char* Name;
  const char* Property;
  const char* Words;
};
constexpr Example Examples[] = {
  { "ContactFile", "other.dsm", "other.dsm" },
  { "Separate", "1", "1" },
  { "MemoryPerHost", "512", "536870912" },
  { "Lending", "pinned", "pinned" },
  { "MaximumSnapshots", "7", "7" },
  { "WhenFull", "2", "drop newest" },
  { "LongestWait", "2.5", "2.5" },
  { "ExpectedFileSize", "4096", "4096" },
  { "NamePattern", "*.h5", "*.h5" },
  { "AlsoOnDisk", "every 5", "every 5" },
  { "Checkpoints", "*.chk", "*.chk" },
  { "Publish", "1", "flush" },
  { "Strategy", "contiguous", "contiguous" },
  { "BlockSize", "65536", "65536" },
  { "BlocksPerCycle", "3", "3" },
  { "Seed", "11", "11" },
  { "Transport", "shared-memory", "shared-memory" },
  { "SmallTransport", "shared-memory", "shared-memory" },
  { "SmallTransferSize", "1024", "1024" },
};

// A value for each variable of the environment.
constexpr std::pair<const char*, const char*> Variables[] = {
  { "DSM_LENDING", "pinned" },
  { "DSM_MATCH", "*.h5" },
  { "DSM_PUBLISH", "flush" },
  { "DSM_STRATEGY", "contiguous" },
  { "DSM_BLOCK_SIZE", "64 KiB" },
  { "DSM_BLOCKS_PER_CYCLE", "3" },
  { "DSM_SEED", "11" },
  { "DSM_TRANSPORT", "shared-memory" },
};

class ServerSettingsTest : public testing::Test
{
protected:
  ServerSettingsTest() { this->Clear(); }
  ~ServerSettingsTest() override { this->Clear(); }

  static void Clear()
  {
    setenv("DSM_DEFAULTS", "off", 1);
    unsetenv("DSM_NODE_MEMORY");
    for (const auto& variable : Variables)
    {
      unsetenv(variable.first);
    }
  }
};

std::string ReasonAgainst(const std::string& name, const std::string& property)
{
  SettingValues values;
  values.Set(name, property);
  try
  {
    values.Options();
    return "none";
  }
  catch (const dsm::Error& error)
  {
    return error.what();
  }
}

std::string TextOf(const ServerOptions& options)
{
  return dsm::ToText(options);
}
}

TEST_F(ServerSettingsTest, EachSettingHasWhatPeopleNeed)
{
  std::set<std::string> names;
  std::set<std::string> words;
  for (const Setting& setting : ServerSettings())
  {
    EXPECT_TRUE(names.insert(setting.Name).second) << setting.Name;
    EXPECT_TRUE(setting.Word.empty() || words.insert(setting.Word).second) << setting.Name;
    EXPECT_FALSE(setting.Label.empty()) << setting.Name;
    EXPECT_FALSE(setting.Group.empty()) << setting.Name;
    EXPECT_FALSE(setting.Default.empty()) << setting.Name;
    EXPECT_GT(setting.Help.size(), 40u) << setting.Name;
    EXPECT_TRUE(setting.Help.ends_with('.')) << setting.Name;
    EXPECT_TRUE(setting.FullHelp().ends_with('.')) << setting.Name;
    EXPECT_EQ(setting.WordsOf(setting.PropertyOf(setting.Default)), setting.Default)
      << setting.Name;
    const bool hasChoices = setting.Kind == SettingKind::Word ||
      setting.Kind == SettingKind::Choice || setting.Kind == SettingKind::Strategy ||
      setting.Kind == SettingKind::Transport;
    EXPECT_EQ(setting.Choices.size() > 1, hasChoices) << setting.Name;
    if (setting.Condition)
    {
      EXPECT_TRUE(SettingNamed(setting.Condition->Name).Kind >= SettingKind::Word) << setting.Name;
    }
  }
  EXPECT_FALSE(SettingNamed("BlockSize").Presets.empty());
  EXPECT_THROW(SettingNamed("Colour"), dsm::Error);
}

TEST_F(ServerSettingsTest, NobodysChoiceIsTheDefault)
{
  EXPECT_EQ(TextOf(SettingValues().Options()), TextOf(OptionsByDefault()));
  SettingValues defaults;
  for (const Setting& setting : ServerSettings())
  {
    defaults.Set(setting.Name, setting.PropertyOf(setting.Default));
  }
  EXPECT_EQ(TextOf(defaults.Options()), TextOf(OptionsByDefault()));
  // The defaults that people are shown are those of a server that is told nothing.
  EXPECT_EQ(TextOf(ServerOptions()), TextOf(OptionsByDefault()));
}

TEST_F(ServerSettingsTest, EachValueReachesTheServerAndComesBack)
{
  EXPECT_EQ(std::size(Examples), ServerSettings().size());
  SettingValues values;
  for (const Example& example : Examples)
  {
    const Setting& setting = SettingNamed(example.Name);
    EXPECT_EQ(setting.WordsOf(example.Property), example.Words) << example.Name;
    EXPECT_EQ(setting.PropertyOf(example.Words), example.Property) << example.Name;
    values.Set(example.Name, example.Property);
  }
  const ServerOptions options = values.Options();
  EXPECT_EQ(options.ContactFile, "other.dsm");
  EXPECT_EQ(options.MemoryPerHost, 512u << 20);
  EXPECT_EQ(options.WhenFull, dsm::FullRing::DropNewest);
  EXPECT_EQ(options.Transport.ToText(), "shared-memory,shared-memory:1024");
  EXPECT_TRUE(options.Files.OnFlush);
  SettingValues adopted;
  adopted.Set("ContactFile", "other.dsm"); // which the reader knows
  adopted.Set("Separate", "1");
  adopted.Adopt(options);
  EXPECT_EQ(adopted, values);
  EXPECT_EQ(TextOf(adopted.Options()), TextOf(options));
}

TEST_F(ServerSettingsTest, EachValueAloneChangesTheOptions)
{
  for (const Example& example : Examples)
  {
    const Setting& setting = SettingNamed(example.Name);
    SettingValues values;
    values.Set(example.Name, example.Property);
    const bool isChanged = TextOf(values.Options()) != TextOf(OptionsByDefault());
    EXPECT_EQ(
      isChanged, setting.Store && !(setting.Condition && setting.Condition->IsUnusedOtherwise))
      << example.Name;
    if (setting.Store)
    {
      ServerOptions options = OptionsByDefault();
      setting.Write(options, example.Words, "--option");
      EXPECT_NE(TextOf(options), TextOf(OptionsByDefault())) << example.Name;
    }
  }
}

TEST_F(ServerSettingsTest, OptionsAcceptWhatPeopleWrite)
{
  ServerOptions options;
  SettingNamed("BlockSize").Write(options, "64 KiB", "--block-size");
  EXPECT_EQ(options.Map.BlockSize, 65536u);
  SettingNamed("BlockSize").Write(options, "automatic", "--block-size");
  EXPECT_EQ(options.Map.BlockSize, 0u);
  SettingNamed("MaximumSnapshots").Write(options, "automatic", "--maximum-snapshots");
  EXPECT_EQ(options.MaximumSnapshots, 0u);
  options.Transport.NodeMemory = false;
  SettingNamed("Transport").Write(options, "shared-memory", "--transport");
  EXPECT_FALSE(options.Transport.NodeMemory);
}

TEST_F(ServerSettingsTest, RefusalsNameTheSetting)
{
  EXPECT_EQ(ReasonAgainst("BlockSize", "-1"), "Block Size is -1: it must be 0 or more");
  EXPECT_EQ(ReasonAgainst("Seed", "-7"), "Seed is -7: it must be 0 or more");
  EXPECT_EQ(ReasonAgainst("MemoryPerHost", "9223372036854775807"),
    "Memory Per Host is 9223372036854775807: that is more than any machine has");
  EXPECT_EQ(ReasonAgainst("WhenFull", "3"), "When Full is 3: there are the choices 0 to 2");
  EXPECT_EQ(ReasonAgainst("LongestWait", "-5"), "Maximum Wait is -5 s: it must be 0 to 1000000000");
  EXPECT_EQ(
    ReasonAgainst("LongestWait", "nan"), "Maximum Wait is nan s: it must be 0 to 1000000000");
  EXPECT_NE(ReasonAgainst("Lending", "mine").find("automatic, sparse, pinned"), std::string::npos);
  EXPECT_NE(ReasonAgainst("Transport", "pigeon").find("pigeon"), std::string::npos);
  EXPECT_NE(ReasonAgainst("AlsoOnDisk", "every 0"), "none");
}

TEST_F(ServerSettingsTest, AllRefusalsAreKnownBeforeStart)
{
  SettingValues values;
  EXPECT_TRUE(values.Refused().empty());
  values.Set("Seed", "-7");
  values.Set("AlsoOnDisk", "every 0");
  values.Set("WhenFull", "1");
  values.Set("LongestWait", "-5");
  values.Set("MemoryPerHost", "64");
  const auto refused = values.Refused();
  ASSERT_EQ(refused.size(), 3U);
  EXPECT_EQ(refused.at("Seed"), "Seed is -7: it must be 0 or more");
  EXPECT_EQ(refused.at("LongestWait"), "Maximum Wait is -5 s: it must be 0 to 1000000000");
  EXPECT_EQ(refused.at("AlsoOnDisk"), ReasonAgainst("AlsoOnDisk", "every 0"));
}

TEST_F(ServerSettingsTest, EachVariableIsTheDefaultOfItsSetting)
{
  std::size_t found = 0;
  for (const Setting& setting : ServerSettings())
  {
    found += setting.Environment.empty() ? 0 : 1;
  }
  EXPECT_EQ(found, std::size(Variables));
  for (const auto& [name, value] : Variables)
  {
    setenv(name, value, 1);
    ServerOptions options = OptionsByDefault();
    options.Memory = dsm::LendingWithEnvironment(options.Memory); // at Start
    EXPECT_NE(TextOf(options), TextOf(ServerOptions())) << name;
    // A value that somebody chooses takes precedence.
    const Setting& setting = *std::find_if(ServerSettings().begin(), ServerSettings().end(),
      [&](const Setting& one) { return one.Environment == name; });
    EXPECT_NE(setting.Read(options), setting.Read(ServerOptions())) << name;
    unsetenv(name);
  }
}

TEST_F(ServerSettingsTest, TheThresholdIsIgnoredWithoutATransportOfItsOwn)
{
  setenv("DSM_TRANSPORT", "shared-memory,fabric:4 KiB", 1);
  SettingValues values;
  values.Set("SmallTransferSize", "1024");
  EXPECT_EQ(values.Options().Transport.Threshold, 4096u);
  values.Set("SmallTransport", "shared-memory");
  EXPECT_EQ(values.Options().Transport.Threshold, 1024u);
  values.Set("SmallTransferSize", "8192");
  EXPECT_EQ(values.Options().Transport.Threshold, 8192u);
}

TEST_F(ServerSettingsTest, ValuesInForceAreNumbersAndTexts)
{
  ServerOptions options;
  options.MemoryPerHost = 1000;
  options.WhenFull = dsm::FullRing::Block;
  const std::string text = dsm::SettingsInForce(options);
  EXPECT_NE(text.find("\"MemoryPerHost\":1000"), std::string::npos) << text;
  EXPECT_NE(text.find("\"WhenFull\":1"), std::string::npos) << text;
  EXPECT_NE(text.find("\"LongestWait\":60.0"), std::string::npos) << text;
  EXPECT_NE(text.find("\"SmallTransport\":\"same\""), std::string::npos) << text;
  EXPECT_EQ(text.find("SmallTransferSize"), std::string::npos) << text;
  EXPECT_EQ(text.find("ContactFile"), std::string::npos) << text;
}
