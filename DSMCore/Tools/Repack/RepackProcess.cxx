// SPDX-License-Identifier: BSD-3-Clause
#include "Tools/Repack/RepackProcess.h"

#include "Base/Error.h"
#include "Base/Threads.h"
#include "Encoding/Encoding.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <iostream>
#include <iterator>

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace dsm::repack
{

namespace
{
void Require(bool done, const char* what)
{
  if (!done)
  {
    throw Error(
      Fault::System, "cannot start a process of dsm-archive ({}): {}", what, SystemText(errno));
  }
}

// An open file that has it, from its beginning on.
int FileWith(const std::string& text)
{
  const int file = memfd_create("dsm-repack-task", MFD_CLOEXEC);
  Require(file >= 0 && write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
      lseek(file, 0, SEEK_SET) == 0,
    "memfd_create");
  return file;
}

void Tell(const RepackReport& report)
{
  std::cout << ToText(report) << '\n' << std::flush;
}
}

int RepackProcess::Run()
{
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  LowerPriority();
  try
  {
    const std::string text((std::istreambuf_iterator<char>(std::cin)), {});
    const auto task = FromText<RepackTask>(text, "the task");
    if (static_cast<std::uint64_t>(getppid()) != task.Parent)
    {
      return 1; // it ended before the kernel was told to say so
    }
    Carry(task, [](std::uint64_t bytes) { Tell({ bytes, {}, false }); });
    Tell({ 0, {}, true });
    return 0;
  }
  catch (const std::exception& error)
  {
    Tell({ 0, error.what(), false });
    return 1;
  }
}

RepackProcess::RepackProcess(const RepackTask& task)
  : Name(task.Name)
{
  const FileDescriptor input(FileWith(ToText(task)));
  std::array<int, 2> ends{};
  Require(pipe2(ends.data(), O_CLOEXEC) == 0, "pipe");
  this->Reports = std::make_unique<FileDescriptor>(ends[0]);
  const FileDescriptor output(ends[1]);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, input.Get(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, output.Get(), STDOUT_FILENO);
  std::string program = std::filesystem::read_symlink("/proc/self/exe");
  std::string option = Option;
  std::string name = task.Name; // for who looks at processes
  const std::array<char*, 4> words{ program.data(), option.data(), name.data(), nullptr };
  errno = posix_spawn(&this->Process, program.c_str(), &files, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  Require(errno == 0, "posix_spawn");
}

RepackProcess::~RepackProcess()
{
  if (this->Process > 0)
  {
    if (!this->Done)
    {
      kill(this->Process, SIGKILL);
    }
    waitpid(this->Process, nullptr, 0);
  }
}

std::uint64_t RepackProcess::Read()
{
  std::array<char, 4096> buffer{};
  const ssize_t got = read(this->Reports->Get(), buffer.data(), buffer.size());
  if (got < 0 && errno == EINTR)
  {
    return 0;
  }
  if (got <= 0)
  {
    this->ThrowEnded();
  }
  this->Text.append(buffer.data(), static_cast<std::size_t>(got));
  std::uint64_t moved = 0;
  for (std::size_t end = this->Text.find('\n'); end != std::string::npos;
    end = this->Text.find('\n'))
  {
    const auto report = FromText<RepackReport>(this->Text.substr(0, end), "a process's report");
    this->Text.erase(0, end + 1);
    if (!report.Failure.empty())
    {
      throw Error(Fault::System, "{}", report.Failure);
    }
    moved += report.Bytes;
    this->Done = this->Done || report.Done;
  }
  return moved;
}

void RepackProcess::ThrowEnded()
{
  int status = 0;
  waitpid(this->Process, &status, 0);
  this->Process = 0;
  throw Error(Fault::System, "the process that wrote {} has ended with {} {}", this->Name,
    WIFSIGNALED(status) ? "signal" : "status",
    WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
}

}
