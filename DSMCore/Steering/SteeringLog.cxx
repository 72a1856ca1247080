// SPDX-License-Identifier: BSD-3-Clause
#include "Steering/SteeringLog.h"

#include "Base/Error.h"
#include "Base/Log.h"
#include "Base/Threads.h"

#include <cerrno>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <optional>
#include <utility>

namespace dsm
{

namespace
{
constexpr const char* Heading =
  "# ParaView DSM steering log 1\n"
  "# transaction\twhen\twho\tprogram\tstep\ttime\twhat\tname\told\tnew\n";

// What a line is that tells what a program began from.
constexpr const char* Beginning = "began";

std::string Now()
{
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32] = "";
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

// Free text between tabs.
std::string Plain(std::string text)
{
  for (char& character : text)
  {
    if (static_cast<unsigned char>(character) < 0x20)
    {
      character = ' ';
    }
  }
  return text.empty() ? "-" : text;
}

std::vector<std::string> Columns(const std::string& line)
{
  std::vector<std::string> columns(1);
  for (const char character : line)
  {
    if (character == '\t')
    {
      columns.emplace_back();
    }
    else
    {
      columns.back() += character;
    }
  }
  return columns;
}

template <typename T>
T Column(const std::vector<std::string>& columns, std::size_t index)
{
  const PlainValue value = PlainValueFromText(columns.at(index));
  if (const auto* content = std::get_if<T>(&value))
  {
    return *content;
  }
  throw Error(Fault::Usage, "{} in column {} is of another type", columns.at(index), index + 1);
}

// One line into the transaction it belongs to: that of the line before when the numbers agree.
void TakeLine(const std::vector<std::string>& columns, std::vector<LoggedTransaction>& read)
{
  const auto written = Column<std::int64_t>(columns, 0);
  if (written < 0)
  {
    throw Error(Fault::Usage, "{} is no number of a transaction", written);
  }
  const auto number = static_cast<std::uint64_t>(written);
  const auto step = Column<std::int64_t>(columns, 4);
  const auto name = Column<std::string>(columns, 7);
  if (read.empty() || read.back().What.Number != number || read.back().Step != step)
  {
    LoggedTransaction begun{ step, columns.at(3), {} };
    begun.What.Number = number;
    begun.What.Who = columns.at(2);
    read.push_back(std::move(begun));
  }
  auto& what = columns.at(6) == "set" ? read.back().What.Set : read.back().What.Commands;
  what.emplace_back(name, PlainValueFromText(columns.at(9)));
}
}

SteeringLog::SteeringLog(std::string path)
  : FilePath(std::move(path))
{
  const SignalsBlocked quiet;
  this->Writer = std::thread([this] { this->Run(); });
}

SteeringLog::~SteeringLog()
{
  {
    const std::lock_guard lock(this->Guard);
    this->Ending = true;
  }
  this->Wake.notify_all();
  this->Writer.join();
}

void SteeringLog::Add(const std::string& program, const Outcome& outcome)
{
  this->Post(SteeringLogLines(program, outcome));
}

void SteeringLog::Add(
  const std::string& program, const RunOrigin& from, const std::vector<Outcome::Change>& changed)
{
  this->Post(SteeringLogLine(program, from, changed));
}

void SteeringLog::Post(std::string lines)
{
  {
    const std::lock_guard lock(this->Guard);
    this->Lines.push_back(std::move(lines));
  }
  this->Wake.notify_all();
}

void SteeringLog::Run()
{
  std::unique_lock lock(this->Guard);
  for (;;)
  {
    this->Wake.wait(lock, [this] { return this->Ending || !this->Lines.empty(); });
    const auto lines = std::exchange(this->Lines, {});
    if (lines.empty())
    {
      return;
    }
    std::string all;
    for (const auto& line : lines)
    {
      all += line;
    }
    lock.unlock();
    if (!this->Failed && !this->Write(all))
    {
      this->Failed = true;
      Log().warn("cannot write the steering log {}: {}; changes are no longer recorded",
        this->FilePath, SystemText(errno));
    }
    lock.lock();
  }
}

bool SteeringLog::Write(const std::string& lines)
{
  std::string heading;
  if (!this->Begun)
  {
    std::error_code none;
    std::filesystem::rename(this->FilePath, this->FilePath + ".previous", none);
    this->Begun = true;
    heading = Heading;
  }
  std::ofstream file(this->FilePath, std::ios::app);
  file << heading << lines << std::flush;
  return file.good();
}

std::string SteeringLogLines(const std::string& program, const Outcome& outcome)
{
  const std::string head = fmt::format("{}\t{}\t{}\t{}\t{}\t{}", outcome.Number, Now(),
    Plain(outcome.Who), Plain(program), outcome.Step, PlainValueText(outcome.Time));
  std::string lines;
  for (const auto& change : outcome.Changes)
  {
    lines += fmt::format("{}\tset\t{}\t{}\t{}\n", head, PlainValueText(change.Name),
      PlainValueText(change.Old), PlainValueText(change.New));
  }
  for (const auto& [name, argument] : outcome.Commands)
  {
    lines += fmt::format("{}\tcommand\t{}\t-\t{}\n", head, PlainValueText(name), argument);
  }
  return lines;
}

std::string SteeringLogLine(
  const std::string& program, const RunOrigin& from, const std::vector<Outcome::Change>& changed)
{
  const auto values = [&](PlainValue Outcome::Change::* which)
  {
    std::string text;
    for (const auto& change : changed)
    {
      text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", PlainValueText(change.Name),
        PlainValueText(change.*which));
    }
    return "{" + text + "}";
  };
  return fmt::format("0\t{}\t{}\t{}\t{}\t-\t{}\t{}\t{}\t{}\n", Now(), Plain(from.Program),
    Plain(program), from.Step, Beginning, PlainValueText(from.FileName),
    values(&Outcome::Change::Old), values(&Outcome::Change::New));
}

std::string ArrayFile(const std::string& logPath, const SentArray& sent)
{
  const auto folder = std::filesystem::path(logPath).parent_path();
  return folder / fmt::format("dsm-array-{}.h5", sent.Hash);
}

std::vector<LoggedTransaction> ReadSteeringLog(const std::string& path)
{
  std::ifstream file(path);
  if (!file)
  {
    throw Error(Fault::System, "cannot read the steering log {}: {}", path, SystemText(errno));
  }
  return ReadSteeringLog(file, path);
}

std::vector<LoggedTransaction> ReadSteeringLog(std::istream& log, const std::string& name)
{
  std::vector<LoggedTransaction> read;
  std::string line;
  for (int number = 1; std::getline(log, line); ++number)
  {
    if (line.empty() || line.front() == '#')
    {
      continue;
    }
    const auto columns = Columns(line);
    try
    {
      if (columns.size() != 10 ||
        (columns[6] != "set" && columns[6] != "command" && columns[6] != Beginning))
      {
        throw Error(Fault::Usage, "it has {} columns", columns.size());
      }
      if (columns[6] != Beginning)
      {
        TakeLine(columns, read);
      }
    }
    catch (const std::exception& error)
    {
      throw Error(Fault::Usage, "line {} of {} is no line of a steering log ({})", number, name,
        error.what());
    }
  }
  return read;
}

}
