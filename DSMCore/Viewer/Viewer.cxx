// SPDX-License-Identifier: BSD-3-Clause
#include "Base/Deadline.h"
#include "Base/Error.h"
#include "Base/FileName.h"
#include "Base/Timeouts.h"
#include "Client/Status.h"
#include "Control/Channel.h"
#include "Encoding/Encoding.h"
#include "Peer/Connection.h"
#include "Peer/SnapshotView.h"
#include "Peer/StoreFile.h"
#include "Protocol/GuestMessages.h"
#include "Protocol/Peer.h"
#include "Protocol/SessionMessages.h"
#include "Protocol/SnapshotMessages.h"
#include "Steering/SentArray.h"
#include "Steering/SteeringMessages.h"

#pragma GCC visibility push(default)
#include "Viewer/dsm_viewer.h"
#pragma GCC visibility pop

#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

/// One connection to a server, and the text that it gave last.
struct dsm_viewer
{
public:
  explicit dsm_viewer(const std::string& contact)
    : Path(dsm::AbsoluteName(contact))
  {
  }

  // Returns the connection. Connects first if there is none, or if it was lost.
  std::shared_ptr<dsm::Channel> Connected(const dsm::Deadline& deadline)
  {
    const std::lock_guard lock(this->Guard);
    if (!this->Link || !this->Link->Alive())
    {
      this->Link.reset();
      auto link =
        std::make_shared<dsm::Channel>(dsm::ReadContact(this->Path, deadline), this->Path);
      dsm::Hello hello;
      hello.Peer = this->Self;
      link->Request(hello, deadline);
      this->Link = std::move(link);
    }
    return this->Link;
  }

  template <typename Message>
  typename Message::Reply Ask(const Message& message, dsm::Seconds wait = dsm::Seconds(0))
  {
    const dsm::Deadline deadline(wait + this->Limit.load());
    return this->Connected(deadline)->Request(message, deadline);
  }

  dsm::SnapshotId Store(
    const std::string& parameter, std::span<const dsm_viewer_piece> pieces, std::uint64_t size)
  {
    std::vector<dsm::FilePiece> parts;
    for (const dsm_viewer_piece& piece : pieces)
    {
      parts.push_back({ dsm::FileOffset(piece.address), piece.data, piece.size });
    }
    const auto server =
      dsm::Connection::Open(this->Path, this->Self, dsm::Deadline(this->Limit.load()));
    return dsm::StoreFile(server, dsm::SentArrayFile(this->Path, parameter), parts, size);
  }

  void Read(dsm::SnapshotId snapshot, dsm::FileOffset address, void* data, std::uint64_t size) const
  {
    const auto server =
      dsm::Connection::Open(this->Path, this->Self, dsm::Deadline(this->Limit.load()));
    dsm::SnapshotView(server, snapshot).Read(address, data, size);
  }

  void SetLimit(dsm::Seconds limit) { this->Limit = limit; }

  const char* Keep(std::string text)
  {
    this->Text = std::move(text);
    return this->Text.c_str();
  }

  const std::string& ContactPath() const { return this->Path; }

  const dsm::PeerDescription& Process() const { return this->Self; }

private:
  const std::string Path;
  const dsm::PeerDescription Self = dsm::DescribeThisProcess("viewer", 1, {});
  std::atomic<dsm::Seconds> Limit = dsm::RequestTimeout();
  std::mutex Guard;
  std::shared_ptr<dsm::Channel> Link; ///< null if not connected; guarded by Guard
  std::string Text;
};

namespace
{
thread_local std::string lastError; // NOLINT(cert-err58-cpp): the empty string does not throw
thread_local int lastStatus = DSM_OK;

// Returns what `work` does; nothing, and keeps why, if that fails.
template <typename Work>
auto Guarded(const Work& work) noexcept -> decltype(work())
{
  try
  {
    lastError.clear();
    lastStatus = DSM_OK;
    return work();
  }
  catch (...)
  {
    const dsm::Error error = dsm::Error::From(std::current_exception());
    lastError = error.what();
    lastStatus = dsm::StatusOf(error.GetFault());
    return nullptr;
  }
}

std::string TextOf(const std::string& contact, std::vector<dsm::SnapshotDescription> snapshots)
{
  return dsm::TextOfFields(
    [&](dsm::Fields& fields)
    {
      fields.List("snapshots", snapshots,
        [&](dsm::SnapshotDescription& snapshot)
        {
          fields.Record(nullptr,
            [&]
            {
              std::string name = dsm::SnapshotName(contact, snapshot.Number);
              fields("number", snapshot.Number);
              fields("name", name);
              fields("file", snapshot.FileName);
              fields("stream", snapshot.Stream);
              fields("run", snapshot.Run);
              fields("program", snapshot.Program);
              fields("step", snapshot.Step);
              fields("size", snapshot.FileSize);
              fields("sealed", snapshot.SealedAt);
              fields("parts", snapshot.Parts);
            });
        });
    },
    -1);
}

std::string TextOf(const dsm::PeerDescription& self, std::vector<dsm::ConnectedPeer> peers)
{
  std::erase_if(peers, [&](const dsm::ConnectedPeer& peer) { return peer.Process == self; });
  return dsm::TextOfFields(
    [&](dsm::Fields& fields)
    {
      fields.List("connected", peers,
        [&](dsm::ConnectedPeer& peer)
        {
          fields.Record(nullptr,
            [&]
            {
              fields("guest", peer.Guest);
              fields("role", peer.Process.Role);
              fields("program", peer.Process.Program);
              fields("node", peer.Process.Node);
              fields("ranks", peer.Process.Ranks);
              fields("process", peer.Process.Process);
              fields("since", peer.Since);
            });
        });
    },
    -1);
}

const char* Steer(dsm_viewer* viewer, const dsm::SteeringRequest& request)
{
  const auto answered = viewer->Ask(dsm::RequestSteering{ request, dsm::UserAtHost() });
  return viewer->Keep(dsm::SteeringAnswerText(answered.Answer));
}
}

extern "C"
{
  dsm_viewer* dsm_viewer_open(const char* contact, double seconds)
  {
    return Guarded(
      [&]
      {
        auto viewer = std::make_unique<dsm_viewer>(contact);
        viewer->Connected(dsm::Deadline(dsm::Seconds(seconds)));
        return viewer.release();
      });
  }

  void dsm_viewer_limit(dsm_viewer* viewer, double seconds)
  {
    viewer->SetLimit(dsm::Seconds(seconds));
  }

  void dsm_viewer_close(dsm_viewer* viewer)
  {
    delete viewer;
  }

  const char* dsm_viewer_error(void)
  {
    return lastError.c_str();
  }

  int dsm_viewer_status_of_error(void)
  {
    return lastStatus;
  }

  const char* dsm_viewer_snapshots(dsm_viewer* viewer, const char* pattern)
  {
    return Guarded(
      [&]
      {
        dsm::ListSnapshots request;
        request.Match = pattern ? pattern : "";
        return viewer->Keep(TextOf(viewer->ContactPath(), viewer->Ask(request).Snapshots));
      });
  }

  uint64_t* dsm_viewer_wait(dsm_viewer* viewer, uint64_t after, double seconds, uint64_t* number)
  {
    return Guarded(
      [&]
      {
        const dsm::Seconds wait(seconds);
        const dsm::AwaitSnapshot request{ "", dsm::SnapshotId(after), wait.count() };
        *number = viewer->Ask(request, wait).Number;
        return number;
      });
  }

  const char* dsm_viewer_connected(dsm_viewer* viewer)
  {
    return Guarded(
      [&]
      {
        auto list = viewer->Ask(dsm::ListGuests());
        return viewer->Keep(TextOf(viewer->Process(), std::move(list.Connected)));
      });
  }

  const char* dsm_viewer_status(dsm_viewer* viewer)
  {
    return Guarded([&] { return Steer(viewer, dsm::StatusRequest()); });
  }

  const char* dsm_viewer_store(dsm_viewer* viewer, const char* name, const dsm_viewer_piece* pieces,
    size_t count, uint64_t size)
  {
    return Guarded(
      [&]
      {
        const auto number = viewer->Store(name, { pieces, count }, size);
        return viewer->Keep(fmt::format("{{\"snapshot\": {}}}", number));
      });
  }

  void* dsm_viewer_read(
    dsm_viewer* viewer, uint64_t snapshot, uint64_t address, void* data, uint64_t size)
  {
    return Guarded(
      [&]
      {
        viewer->Read(dsm::SnapshotId(snapshot), dsm::FileOffset(address), data, size);
        return data;
      });
  }

  const char* dsm_viewer_steer(dsm_viewer* viewer, const char* request)
  {
    return Guarded([&] { return Steer(viewer, dsm::SteeringRequestFromText(request)); });
  }
}
