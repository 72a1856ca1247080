// SPDX-License-Identifier: BSD-3-Clause
#include "Server/ServerSettings.h"

#include "Base/Error.h"
#include "Mapping/Strategy.h"
#include "Server/Core/KeepRule.h"
#include "Server/ServerDefaults.h"
#include "Transport/ChooseTransport.h"
#include "Transport/TransportKind.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <limits>

namespace dsm
{

namespace
{
constexpr double LongestLimit = 1e9; // seconds; a clock that counts in nanoseconds holds this

// Members of ServerOptions in words, and back.
std::string WordsOf(const std::string& member)
{
  return member;
}

std::string WordsOf(std::uint64_t member)
{
  return std::to_string(member);
}

std::string WordsOf(Seconds member)
{
  return fmt::format("{}", member.count());
}

std::string WordsOf(FullRing member)
{
  return FullRingName(member);
}

std::string WordsOf(Lending member)
{
  return LendingName(member);
}

void Take(std::string& member, const std::string& words)
{
  member = words;
}

void Take(std::uint64_t& member, const std::string& words)
{
  member = std::stoull(words);
}

void Take(Seconds& member, const std::string& words)
{
  member = Seconds(std::stod(words));
}

void Take(FullRing& member, const std::string& words)
{
  member = FullRingFromName(words);
}

void Take(Lending& member, const std::string& words)
{
  member = LendingFromName(words);
}

// Lets a setting be a member of ServerOptions, which `find` finds in options of either constness.
template <typename Find>
Setting For(Setting setting, Find find)
{
  setting.Read = [find](const ServerOptions& options) { return WordsOf(find(options)); };
  setting.Store = [find](ServerOptions& options, const std::string& words)
  { Take(find(options), words); };
  return setting;
}

std::vector<SettingChoice> Choices(const std::vector<std::string>& words)
{
  std::vector<SettingChoice> choices;
  choices.reserve(words.size());
  for (const std::string& word : words)
  {
    choices.push_back({ word, word });
  }
  return choices;
}

// The offers of the library as people read them: lists of choices, and sentences.
std::vector<SettingChoice> StrategyChoices()
{
  std::vector<std::string> names{ "automatic" };
  for (const StrategyKind& kind : Strategies())
  {
    names.push_back(kind.Name);
  }
  return Choices(names);
}

std::string StrategiesThat(bool StrategyKind::* has)
{
  std::vector<std::string> names;
  for (const StrategyKind& kind : Strategies())
  {
    if (kind.*has)
    {
      names.push_back(kind.Name);
    }
  }
  return fmt::format("{}", fmt::join(names, " and "));
}

std::string StrategySentences()
{
  std::string sentences;
  for (const StrategyKind& kind : Strategies())
  {
    std::string sentence = fmt::format("{} {}. ", kind.Name, kind.Text);
    sentence[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(sentence[0])));
    sentences += sentence;
  }
  return sentences;
}

// `label` is what the panel shows for the first choice.
std::vector<SettingChoice> TransportChoices(const std::string& first, const std::string& label)
{
  std::vector<std::string> names{ first };
  for (const TransportKind* kind : TransportKinds())
  {
    for (const auto& more : { kind->Choices(), kind->VariantExamples() })
    {
      names.insert(names.end(), more.begin(), more.end());
    }
  }
  auto choices = Choices(names);
  choices.front() = { first, label, first };
  return choices;
}

std::string TransportSentences()
{
  std::string sentences;
  for (const TransportKind* kind : TransportKinds())
  {
    sentences += fmt::format("{}: {}. ", fmt::join(kind->Choices(), " and "), kind->Text());
  }
  return sentences;
}

// A transport from text, which says nothing of shared memory on a node.
void TakeTransport(TransportChoice& transport, const std::string& text)
{
  const bool nodeMemory = transport.NodeMemory;
  transport = TransportFromText(text);
  transport.NodeMemory = nodeMemory;
}

Setting ContactFile()
{
  Setting setting{
    .Name = "ContactFile",
    .Label = "Contact File",
    .Group = "Contact",
    .Word = "contact",
    .Default = "run.dsm",
    .Effect = SettingEffect::NextStart,
    .Help = "The small file that the server creates; simulations use it to find ParaView (dsm-run "
            "--contact FILE). Only you can read it.",
  };
  setting.Store = [](ServerOptions& options, const std::string& words)
  { options.ContactFile = words; };
  return setting;
}

Setting Separate()
{
  return {
    .Name = "Separate",
    .Label = "Keep Data If ParaView Exits",
    .PropertyLabel = "Memory In Processes Of Its Own",
    .Group = "Contact",
    .Word = "separate",
    .HasOption = false,
    .Kind = SettingKind::Flag,
    .Default = "0",
    .Effect = SettingEffect::NextStart,
    .Help = "Keeps the snapshots in separate host processes, not in ParaView. They continue when "
            "ParaView exits or crashes: start again with the same contact file to see all "
            "snapshots. The host processes end when you stop the server (the panel asks first), or "
            "after 10 minutes without a connection. A dsm-serve that you have started yourself is "
            "used in the same way, with its settings. DSM_HOST_LAUNCHER sets the command that "
            "starts several processes (default: \"mpiexec -n N\").",
  };
}

Setting MemoryPerHost()
{
  return For(
    {
      .Name = "MemoryPerHost",
      .Label = "Memory Per Host",
      .Group = "Memory",
      .Word = "memory-per-host",
      .Kind = SettingKind::Bytes,
      .Default = "0",
      .Zero = "automatic",
      .Presets = "256 MiB;1 GiB;4 GiB;16 GiB",
      .Step = 1 << 20,
      .Effect = SettingEffect::AtOnce,
      .EffectText =
        "While the server runs, memory can grow to four times its value at the start, if the "
        "computer has it (see Memory Room), and shrink: memory that is not in use is freed at "
        "once, "
        "the rest with the next file.",
      .Help = "The memory that each host shares, such as \"512 MiB\". The hosts are the processes "
              "(ranks) of the server; ParaView by itself is one host. Automatic takes a quarter of "
              "the computer's available memory, shared by the hosts on it. The property "
              "MemoryPerHost is in MiB.",
    },
    [](auto& options) -> auto& { return options.MemoryPerHost; });
}

Setting LendingSetting()
{
  return For(
    {
      .Name = "Lending",
      .Label = "Memory Allocation",
      .PropertyLabel = "Lending",
      .Group = "Memory",
      .Word = "lending",
      .Environment = "DSM_LENDING",
      .Advanced = true,
      .Kind = SettingKind::Word,
      .Choices = Choices({ "automatic", "sparse", "pinned" }),
      .Default = "automatic",
      .Effect = SettingEffect::NextStart,
      .Help =
        "How that memory is allocated: sparse or pinned. Sparse allocates pages when files need "
        "them, and any file can use all of the memory. Pinned allocates all pages from start to "
        "stop, in slots of one size, which Expected File Size or Maximum Snapshots decides; "
        "networks that pin memory need this (InfiniBand, Slingshot, EFA). Automatic is pinned if "
        "the network of the transport needs it, else sparse. DSM_LENDING in the environment of the "
        "server overrides automatic.",
    },
    [](auto& options) -> auto& { return options.Memory; });
}

Setting MaximumSnapshots()
{
  return For(
    {
      .Name = "MaximumSnapshots",
      .Label = "Maximum Snapshots",
      .Group = "Memory",
      .Word = "maximum-snapshots",
      .Kind = SettingKind::Count,
      .Default = "0",
      .Zero = "automatic",
      .Presets = "1;16;64",
      .Most = std::numeric_limits<int>::max(),
      .Effect = SettingEffect::AtOnce,
      .EffectText = "While the server runs, a larger number takes effect at once, up to a limit "
                    "that the server "
                    "reports, and a smaller one with the next file.",
      .Help = "The most snapshots that are kept at once, even if there is memory for more. "
              "Automatic (0) keeps as many as there is memory for.",
    },
    [](auto& options) -> auto& { return options.MaximumSnapshots; });
}

Setting WhenFull()
{
  return For(
    {
      .Name = "WhenFull",
      .Label = "When Full",
      .Group = "Memory",
      .Word = "when-full",
      .Kind = SettingKind::Choice,
      .Choices = Choices({ FullRingName(FullRing::DropOldest), FullRingName(FullRing::Block),
        FullRingName(FullRing::DropNewest) }),
      .Default = FullRingName(FullRing::DropOldest),
      .Effect = SettingEffect::AtOnce,
      .EffectText = "A change takes effect at once, also for a simulation that waits.",
      .Help = "What happens when there is no room for a new file. With drop oldest, the oldest "
              "snapshot that is not in use is dropped, read or not. With block, the simulation "
              "waits until snapshots were read, or saved by dsm-serve. With drop newest, new files "
              "are not kept until snapshots were read.",
    },
    [](auto& options) -> auto& { return options.WhenFull; });
}

Setting LongestWait()
{
  return For(
    {
      .Name = "LongestWait",
      .Label = "Maximum Wait",
      .PropertyLabel = "Longest Wait",
      .Group = "Memory",
      .Word = "longest-wait",
      .Kind = SettingKind::Seconds,
      .Default = "60",
      .Most = LongestLimit,
      .Condition = SettingCondition{ "WhenFull", "block" },
      .Effect = SettingEffect::NextFile,
      .EffectText = "A change takes effect from the next wait on; a simulation that is connected "
                    "gets a longer limit with its next file.",
      .Help = "The longest time that a simulation waits for room with block, in seconds. After "
              "that the simulation's call to create the file fails, with the reason.",
    },
    [](auto& options) -> auto& { return options.FullRingLimit; });
}

Setting ExpectedFileSize()
{
  return For(
    {
      .Name = "ExpectedFileSize",
      .Label = "Expected File Size",
      .Group = "Memory",
      .Word = "expected-file-size",
      .Kind = SettingKind::Bytes,
      .Default = "0",
      .Zero = "automatic",
      .Presets = "64 MiB;512 MiB;4 GiB",
      .EffectText = "A change while the server runs takes effect for files whose size is not known "
                    "yet.",
      .Help = fmt::format(
        "The expected size of a file. Memory for it is prepared at the start, so that the first "
        "files arrive as fast as the others, and files are spread by it ({}). Automatic (0) takes "
        "the size of the first file.",
        StrategiesThat(&StrategyKind::NeedsExpected)),
    },
    [](auto& options) -> auto& { return options.ExpectedFileSize; });
}

Setting NamePattern()
{
  return For(
    {
      .Name = "NamePattern",
      .Label = "Files to Receive",
      .PropertyLabel = "Name Pattern",
      .Group = "Files",
      .Word = "match",
      .Environment = "DSM_MATCH",
      .Default = "*",
      .Help =
        "Selects which of a simulation's files ParaView receives; the others are written to disk "
        "as "
        "usual. Enter shell patterns separated by ':', such as *.vtkhdf:field*. * matches all. "
        "dsm-run --match overrides this setting.",
    },
    [](auto& options) -> auto& { return options.Files.Match; });
}

Setting AlsoOnDisk()
{
  Setting setting = For(
    {
      .Name = "AlsoOnDisk",
      .Label = "Save to Disk",
      .PropertyLabel = "Also On Disk",
      .Group = "Files",
      .Word = "also-on-disk",
      .Default = "none",
      .Effect = SettingEffect::AtOnce,
      .EffectText = "A change takes effect at once, also for what is in memory.",
      .Help =
        "Selects which of the received files are also saved to disk, under the simulation's own "
        "names, in "
        "the background. Enter all, none, every N (such as every 5), or shell patterns separated "
        "by ':', such as *.chk.h5. With every 5, the first of the files that differ only in their "
        "number is saved, and every fifth from there. A file that is not saved yet stays in "
        "memory. If the disk is slower than the simulation and memory is full, the simulation "
        "waits, at most for Maximum Wait, regardless of When Full.",
    },
    [](auto& options) -> auto& { return options.AlsoOnDisk; });
  setting.Store = [](ServerOptions& options, const std::string& words)
  {
    static_cast<void>(KeepRule::FromText(words)); // or throws
    options.AlsoOnDisk = words;
  };
  return setting;
}

Setting Checkpoints()
{
  return For(
    {
      .Name = "Checkpoints",
      .Label = "Checkpoints",
      .Group = "Files",
      .Word = "checkpoints",
      .Advanced = true,
      .Default = "none",
      .Effect = SettingEffect::AtOnce,
      .Help = "Selects which of the received files are checkpoints; the newest one stays in "
              "memory. Enter "
              "none, or shell patterns separated by ':', such as *.chk.h5. Of checkpoints that "
              "differ only in their number, the newest stays until there is a newer one, "
              "regardless of When Full, and also if the simulation dies. A simulation restarts "
              "from a checkpoint by opening it under its name.",
    },
    [](auto& options) -> auto& { return options.Checkpoints; });
}

Setting Publish()
{
  Setting setting{
    .Name = "Publish",
    .Label = "Show Files",
    .PropertyLabel = "Publish",
    .Group = "Files",
    .Word = "publish",
    .Environment = "DSM_PUBLISH",
    .Kind = SettingKind::Choice,
    .Choices = { { PublishText(false), "when closed", "on close" },
      { PublishText(true), "also at each flush", "on close and flush" } },
    .Default = PublishText(false),
    .Effect = SettingEffect::AtOnce,
    .Help =
      "When a file becomes a snapshot that can be shown: when the simulation closes it (close), or "
      "also at each H5Fflush (flush). Choose flush for simulations that keep one file open. Each "
      "flush then copies the file within the hosts' memory, and needs room for the copy.",
  };
  setting.Read = [](const ServerOptions& options) { return PublishText(options.Files.OnFlush); };
  setting.Store = [](ServerOptions& options, const std::string& words)
  { options.Files.OnFlush = words == PublishText(true); };
  return setting;
}

Setting StrategySetting()
{
  return For(
    {
      .Name = "Strategy",
      .Label = "Strategy",
      .Group = "Distribution Over Hosts",
      .Word = "strategy",
      .Environment = "DSM_STRATEGY",
      .Effective = "EffectiveStrategy",
      .Kind = SettingKind::Strategy,
      .Choices = StrategyChoices(),
      .Default = "automatic",
      .Help = fmt::format(
        "How the bytes of a file are distributed over the hosts, the processes (ranks) of the "
        "server. It has no effect with one host. {}Automatic takes this machine's default: "
        "DSM_STRATEGY, else what dsm_bench --recommend found best here, else block cyclic; see "
        "Effective Strategy.",
        StrategySentences()),
    },
    [](auto& options) -> auto& { return options.Map.Strategy; });
}

Setting BlockSize()
{
  return For(
    {
      .Name = "BlockSize",
      .Label = "Block Size",
      .Group = "Distribution Over Hosts",
      .Word = "block-size",
      .Environment = "DSM_BLOCK_SIZE",
      .Effective = "EffectiveBlockSize",
      .Kind = SettingKind::Bytes,
      .Default = "0",
      .Zero = "automatic",
      .Presets = "4 KiB;64 KiB;256 KiB;1 MiB;4 MiB;16 MiB",
      .Condition = SettingCondition{ "Strategy", "contiguous", true },
      .Help = fmt::format(
        "The size of a block: how many consecutive bytes of a file are on the same host, with {}. "
        "Automatic (0) takes this machine's default: DSM_BLOCK_SIZE, else what dsm_bench "
        "--recommend found best here, else a size for each file, 64 KiB to 1 MiB: 128 blocks for "
        "each host, as the stream's last file was, or as the expected file size says; 1 MiB if "
        "neither is known; 2 MiB if all hosts are on one node and lend at least 64 MiB each.",
        StrategiesThat(&StrategyKind::HasBlocks)),
    },
    [](auto& options) -> auto& { return options.Map.BlockSize; });
}

Setting BlocksPerCycle()
{
  return For(
    {
      .Name = "BlocksPerCycle",
      .Label = "Blocks Per Cycle",
      .Group = "Distribution Over Hosts",
      .Word = "blocks-per-cycle",
      .Environment = "DSM_BLOCKS_PER_CYCLE",
      .Advanced = true,
      .Kind = SettingKind::Count,
      .Default = "0",
      .Zero = "one each",
      .ZeroLabel = "one per host",
      .Condition = SettingCondition{ "Strategy", "contiguous", true },
      .Help = "How many blocks the hosts get before it is the first host's turn again; 0: one per "
              "host. With fewer blocks than hosts only that many hosts are used. Random "
              "block shuffles the blocks of a cycle: a multiple of the number of hosts shuffles "
              "over more blocks.",
    },
    [](auto& options) -> auto& { return options.Map.BlocksPerCycle; });
}

Setting Seed()
{
  return For(
    {
      .Name = "Seed",
      .Label = "Seed",
      .Group = "Distribution Over Hosts",
      .Word = "seed",
      .Environment = "DSM_SEED",
      .Advanced = true,
      .Kind = SettingKind::Count,
      .Default = "0",
      .Zero = "",
      .Condition = SettingCondition{ "Strategy", "random block" },
      .Help = fmt::format("The seed of the random order of blocks ({} only): the same seed gives "
                          "the same order.",
        StrategiesThat(&StrategyKind::IsRandom)),
    },
    [](auto& options) -> auto& { return options.Map.Seed; });
}

Setting TransportSetting()
{
  Setting setting{
    .Name = "Transport",
    .Label = "Transport",
    .Group = "Transport",
    .Word = "transport",
    .Environment = "DSM_TRANSPORT",
    .Effective = "EffectiveTransport",
    .Advanced = true,
    .Kind = SettingKind::Transport,
    .Choices = TransportChoices("automatic", "automatic"),
    .Default = "automatic",
    .EffectText = "A change takes effect from the next file on; open files and snapshots keep "
                  "their transport. The two over MPI must be chosen at the start.",
    .Help = fmt::format(
      "How bytes get to hosts on other computers than the simulation's; hosts on the same computer "
      "use shared memory. {}A network follows a slash. Two transports, as "
      "HEAVY,LIGHT:THRESHOLD, carry large and small transfers (mpi-rma,fabric:8KiB). Automatic "
      "takes this machine's default: DSM_TRANSPORT, else what dsm_bench --recommend found best "
      "here, else fabric if it works. DSM_TRANSPORT in the simulation's environment overrides this "
      "setting.",
      TransportSentences()),
  };
  setting.Read = [](const ServerOptions& options) { return options.Transport.Heavy; };
  setting.Store = [](ServerOptions& options, const std::string& words)
  { TakeTransport(options.Transport, words); };
  return setting;
}

Setting SmallTransport()
{
  Setting setting{
    .Name = "SmallTransport",
    .Label = "Small-Transfer Transport",
    .PropertyLabel = "Transport Of Small Transfers",
    .Group = "Transport",
    .Advanced = true,
    .Kind = SettingKind::Transport,
    .Choices = TransportChoices("same", "same as Transport"),
    .Default = "same",
    .Help = "The transport of transfers that are smaller than the threshold below, such as the "
            "metadata of a file. Another transport may be faster for them.",
  };
  setting.Read = [](const ServerOptions& options)
  { return options.Transport.Light.empty() ? "same" : options.Transport.Light; };
  setting.Store = [](ServerOptions& options, const std::string& words)
  {
    TakeTransport(options.Transport,
      fmt::format(
        "{},{}:{}", options.Transport.Heavy, words, SettingNamed("SmallTransferSize").Default));
  };
  return setting;
}

Setting SmallTransferSize()
{
  Setting setting{
    .Name = "SmallTransferSize",
    .Label = "Small-Transfer Threshold",
    .PropertyLabel = "Threshold Of Small Transfers",
    .Group = "Transport",
    .Advanced = true,
    .Kind = SettingKind::Bytes,
    .Default = "8192",
    .Presets = "1 KiB;8 KiB;64 KiB",
    .Condition = SettingCondition{ "SmallTransport", "same", true, true },
    .Help = "The size below which a transfer is small. It has no effect while small transfers use "
            "the same transport as all others.",
  };
  setting.Read = [](const ServerOptions& options)
  {
    return options.Transport.Light.empty()
      ? std::nullopt
      : std::optional(std::to_string(options.Transport.Threshold));
  };
  setting.Store = [](ServerOptions& options, const std::string& words)
  { options.Transport.Threshold = std::stoull(words); };
  return setting;
}
}

const std::vector<Setting>& ServerSettings()
{
  static const std::vector<Setting> settings{
    ContactFile(),
    Separate(),
    MemoryPerHost(),
    LendingSetting(),
    MaximumSnapshots(),
    WhenFull(),
    LongestWait(),
    ExpectedFileSize(),
    NamePattern(),
    AlsoOnDisk(),
    Checkpoints(),
    Publish(),
    StrategySetting(),
    BlockSize(),
    BlocksPerCycle(),
    Seed(),
    TransportSetting(),
    SmallTransport(),
    SmallTransferSize(),
  };
  return settings;
}

const Setting& SettingNamed(std::string_view name)
{
  const auto& all = ServerSettings();
  const auto found =
    std::find_if(all.begin(), all.end(), [&](const Setting& one) { return one.Name == name; });
  if (found == all.end())
  {
    throw Error(Fault::Usage, "unknown setting \"{}\"", name);
  }
  return *found;
}

ServerOptions OptionsByDefault()
{
  const auto defaults = ServerDefaults::Read();
  ServerOptions options;
  options.Map = defaults.Map;
  options.Transport = defaults.Transport;
  options.Files = options.Files.WithEnvironment();
  return options;
}

}
