// SPDX-License-Identifier: BSD-3-Clause
#include "Archive/Restorer.h"

#include "Archive/RestoreFile.h"
#include "Base/Error.h"
#include "Base/Threads.h"
#include "Base/Timeouts.h"
#include "Peer/Connection.h"
#include "Protocol/Peer.h"

#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

namespace dsm
{

namespace
{
// How long a thread that is to stop may take to its next step.
constexpr Seconds EndLimit(5);
}

// What the thread uses, which may outlive the Restorer.
struct Restorer::State
{
  explicit State(std::string contact)
    : Contact(std::move(contact))
  {
  }

  void Run(const std::string& path, const std::string& name);
  /// The file that is under way; null: none is.
  const RestoredFile* UnderWay() const
  {
    return this->File && !this->File->HasEnded() ? &*this->File : nullptr;
  }

  const std::string Contact;
  mutable std::mutex Guard;
  std::condition_variable Done;
  std::optional<RestoredFile> File;
  bool Ends = false;
};

void Describe(Fields& fields, RestoredFile& file)
{
  fields("Path", file.Path);
  fields("Bytes", file.Bytes);
  fields("FileSize", file.FileSize);
  fields("Number", file.Number);
  fields("Failure", file.Failure);
}

void Restorer::State::Run(const std::string& path, const std::string& name)
{
  RestoredFile file{ path, 0, 0, 0, {} };
  try
  {
    const auto server = Connection::Open(
      this->Contact, DescribeThisProcess("archive", 1, {}), Deadline(RequestTimeout()));
    file.Number = RestoreFile(server, path, name,
      [&](std::uint64_t bytes, std::uint64_t size)
      {
        const std::lock_guard lock(this->Guard);
        if (this->Ends)
        {
          throw Error(Fault::System, "the server ends");
        }
        file.Bytes = bytes;
        file.FileSize = size;
        this->File = file;
      });
  }
  catch (const std::exception& error)
  {
    file.Failure = error.what();
  }
  const std::lock_guard lock(this->Guard);
  this->File = file;
  this->Done.notify_all();
}

Restorer::Restorer(const std::string& contact)
  : Self(std::make_shared<State>(contact))
{
}

Restorer::~Restorer()
{
  std::unique_lock lock(this->Self->Guard);
  this->Self->Ends = true;
  this->Self->Done.wait_for(lock, EndLimit, [this] { return !this->Self->UnderWay(); });
}

void Restorer::Begin(const std::string& path, const std::string& name)
{
  const std::lock_guard lock(this->Self->Guard);
  if (const RestoredFile* last = this->Self->UnderWay())
  {
    throw Error(
      Fault::Usage, "{} is still being brought back from disk: wait until it is there", last->Path);
  }
  this->Self->File = RestoredFile{ path, 0, 0, 0, {} };
  const SignalsBlocked quiet;
  std::thread([self = this->Self, path, name] { self->Run(path, name); }).detach();
}

std::optional<RestoredFile> Restorer::Last() const
{
  const std::lock_guard lock(this->Self->Guard);
  return this->Self->File;
}

}
