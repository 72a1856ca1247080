// SPDX-License-Identifier: BSD-3-Clause
#include "Driver/CallTrace.h"

#include "Base/Environment.h"
#include "Base/Error.h"
#include "Base/LaunchedJob.h"
#include "Base/Log.h"
#include "Base/NodeIdentity.h"
#include "Base/WallClock.h"
#include "Mpi/Communicator.h"
#include "Mpi/Job.h"

#include <fmt/ranges.h>

#include <cerrno>
#include <filesystem>
#include <iterator>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace dsm
{

namespace
{
constexpr std::size_t BufferSize = std::size_t{ 64 } << 10;
constexpr Seconds LongestInMemory(1);
constexpr int MostOfOneName = 10000;
constexpr const char* Header =
  "begin,seconds,rank,file,operation,kind,transfer,mode,address,size,pieces,hosts,transport,"
  "failed,name\n";

std::filesystem::path Numbered(const std::filesystem::path& path, int number)
{
  return path.parent_path() /
    fmt::format("{}-{}{}", path.stem().string(), number, path.extension().string());
}

// Makes a new file; `name` becomes the one that it has.
int MakeNew(std::string& name)
{
  const std::filesystem::path wanted(name);
  std::error_code ignored; // what is wrong shows when the file is made
  std::filesystem::create_directories(wanted.parent_path(), ignored);
  for (int number = 2;; ++number)
  {
    const int made = open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (made >= 0)
    {
      return made;
    }
    if (errno != EEXIST || number > MostOfOneName)
    {
      throw Error(Fault::System,
        "the trace {} cannot be made: {}; name a folder in DSM_TRACE that can be written to", name,
        SystemText(errno));
    }
    name = Numbered(wanted, number).string();
  }
}

// As CSV has it where commas, quotes and line ends may be in it.
std::string Quoted(const std::string& text)
{
  std::string quoted = "\"";
  for (const char c : text)
  {
    quoted += c;
    if (c == '"')
    {
      quoted += c;
    }
  }
  return quoted + '"';
}
}

CallTrace* CallTrace::OfThisProcess()
{
  // A forked child that opens files of its own has a trace of its own. Never destroyed: HDF5 may
  // close files at the very end.
  static CallTrace* trace = nullptr;
  static pid_t maker = 0;
  if (maker == getpid())
  {
    return trace;
  }
  maker = getpid();
  trace = nullptr;
  const auto where = environment::Text("DSM_TRACE");
  if (!where)
  {
    return nullptr;
  }
  try
  {
    const Process process{ MpiIsAlive() ? static_cast<std::uint64_t>(job::WorldRank())
                                        : RankOfThisProcess(),
      static_cast<std::uint64_t>(maker), MachineName() };
    trace = std::make_unique<CallTrace>(PathFor(*where, process), process.Rank).release();
  }
  catch (const std::exception& error)
  {
    Log().warn("{}\ndsm warning: calls are not traced", error.what());
  }
  return trace;
}

std::string CallTrace::PathFor(const std::string& where, const Process& process)
{
  if (where.find('%') == std::string::npos)
  {
    return (std::filesystem::path(where) / fmt::format("rank{}.csv", process.Rank)).string();
  }
  std::string path;
  for (std::size_t i = 0; i < where.size(); ++i)
  {
    if (where[i] != '%')
    {
      path += where[i];
      continue;
    }
    switch (++i < where.size() ? where[i] : '\0')
    {
      case 'r':
        path += fmt::format("{}", process.Rank);
        break;
      case 'p':
        path += fmt::format("{}", process.Number);
        break;
      case 'h':
        path += process.Machine;
        break;
      case '%':
        path += '%';
        break;
      default:
        throw Error(Fault::Usage,
          "DSM_TRACE is \"{}\": behind a % stands r (the rank), p (the process), h (the machine) "
          "or another %",
          where);
    }
  }
  return path;
}

CallTrace::CallTrace(const std::string& path, std::uint64_t rank)
  : Path(path)
  , Output(MakeNew(this->Path))
  , Rank(rank)
  , Maker(getpid())
  , Origin(Clock::now())
  , OriginDate(WallTime())
  , LastFlush(this->Origin)
{
  this->Lines.reserve(BufferSize);
  this->Lines = Header;
  this->Flush();
}

CallTrace::~CallTrace()
{
  this->Flush();
}

void CallTrace::Add(const CallRecord& record)
{
  if (this->Broken || getpid() != this->Maker)
  {
    return;
  }
  const auto out = std::back_inserter(this->Lines);
  fmt::format_to(out, "{:.6f},{:.9f},{},{},{},{},{},{},{},{},{},",
    this->OriginDate + Seconds(record.Begin - this->Origin).count(), record.Duration.count(),
    this->Rank, record.File, OperationText(record.Call), record.Kind,
    record.Collective ? "collective" : "independent", record.Mode, record.Address, record.Size,
    record.Pieces);
  const char* between = "";
  for (const CallRecord::Share& share : record.Hosts)
  {
    fmt::format_to(out, "{}{}:{}", std::exchange(between, " "), share.Host, share.Bytes);
  }
  fmt::format_to(out, ",{},{},{}\n", fmt::join(record.Transports, "+"), record.Failed ? 1 : 0,
    record.Name.empty() ? std::string() : Quoted(record.Name));
  const auto now = record.Begin + std::chrono::duration_cast<Clock::duration>(record.Duration);
  const bool rare =
    record.Call != CallRecord::Operation::Read && record.Call != CallRecord::Operation::Write;
  if (rare || this->Lines.size() > BufferSize - BufferSize / 8 ||
    now - this->LastFlush > LongestInMemory)
  {
    this->LastFlush = now;
    this->Flush();
  }
}

void CallTrace::Flush() noexcept
{
  if (this->Broken || getpid() != this->Maker)
  {
    return;
  }
  for (std::size_t done = 0; done < this->Lines.size();)
  {
    const ssize_t written =
      write(this->Output.Get(), this->Lines.data() + done, this->Lines.size() - done);
    if (written < 0 && errno != EINTR)
    {
      this->Broken = true;
      Log().warn("the trace {} ends here: {}", this->Path, SystemText(errno));
      break;
    }
    done += written > 0 ? static_cast<std::size_t>(written) : 0;
  }
  this->Lines.clear();
}

}
