// SPDX-License-Identifier: BSD-3-Clause
// A server whose answers do not arrive, or that is asked too late: what a writer believes and what
// the server has are the same.
#include "SessionFixture.h"

#include "../Unit/Relay.h"
#include "Control/ContactFile.h"

#include <fstream>
#include <functional>
#include <optional>
#include <thread>

namespace
{

using namespace sessiontests;
using dsm::testing::Relay;
using dsm::testing::ShortPeerTimeout;

constexpr std::uint64_t Size = 40 * KiB;
constexpr std::uint64_t Far = 1024 * KiB; // beyond what an image begins with

class LostAnswers : public Session
{
protected:
  // Answers that come by a mailbox are not lost on the way.
  LostAnswers() { setenv("DSM_MAILBOX", "off", 1); }
  ~LostAnswers() override { unsetenv("DSM_MAILBOX"); }

  void SetUp() override
  {
    Session::SetUp();
    if (this->World->Size() != 5)
    {
      GTEST_SKIP() << "takes seconds, and is the same for all numbers of ranks";
    }
  }

  // On the writers: an image whose server is reached through a relay, by rank 0.
  std::unique_ptr<WritableImage> BeginThroughRelay(const std::string& name)
  {
    this->Short.emplace("2"); // the server has more patience
    std::shared_ptr<Connection> connection;
    if (this->Part->Rank() == 0)
    {
      Contact contact = ReadContact(this->Options.ContactFile, Deadline(Seconds(20)));
      this->Between = std::make_unique<Relay>(contact.Endpoints.front());
      contact.Endpoints = { this->Between->Endpoint() };
      const std::string path = this->Folder + "/relay.dsm";
      std::ofstream(path).close();
      std::filesystem::permissions(
        path, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
      std::ofstream(path) << contact.ToText();
      connection = Connection::Open(path, "writer", 1, Deadline(Seconds(20)));
    }
    return WritableImage::Begin(*this->Part, connection, name);
  }

  // A file becomes a snapshot, whatever its writers hear.
  void SealWhile(void (Relay::*mute)(), const std::function<void(WritableImage&)>& seal)
  {
    this->Couple(
      [&](LocalServer& server)
      {
        const auto snapshot = this->Wait(server, 0);
        ASSERT_TRUE(snapshot);
        ExpectContents(SnapshotView(server.GetConnection(), snapshot->Number), Size, 1);
      },
      [&]
      {
        const auto image = this->BeginThroughRelay("/sim/answered.h5");
        this->Fill(*image, Size, 1);
        this->Part->Barrier();
        if (this->Between)
        {
          (this->Between.get()->*mute)();
        }
        seal(*image);
      });
  }

  std::optional<ShortPeerTimeout> Short;
  std::unique_ptr<Relay> Between;
};

TEST_F(LostAnswers, AFileThatWasSealedIsSealed)
{
  this->SealWhile(&Relay::Mute,
    [](WritableImage& image) { EXPECT_EQ(image.Seal(Size, {}), image.IsMapped() ? 0u : 1u); });
}

TEST_F(LostAnswers, AFileThatWasSealedIsSealedThoughNobodyCanBeAsked)
{
  this->SealWhile(&Relay::MuteForEver,
    [](WritableImage& image)
    {
      if (image.IsMapped())
      {
        EXPECT_EQ(image.Seal(Size, {}), 0u);
      }
      else
      {
        EXPECT_THROW(image.Seal(Size, {}), Error); // which only shared memory can tell
      }
    });
}

TEST_F(LostAnswers, ARankAsksForNothingThatAnotherHasGot)
{
  this->Couple([&](LocalServer&) { this->World->Barrier(); },
    [&]
    {
      auto image = this->BeginThroughRelay("/sim/grown.h5");
      const std::vector<std::byte> bytes(100, std::byte(1));
      if (this->Part->Rank() == 0)
      {
        image->Write(FileOffset(Far), bytes.data(), bytes.size());
      }
      this->Part->Barrier();
      if (this->Between)
      {
        this->Between->Hold(); // all ranks' messages
      }
      this->Part->Barrier();
      const auto mine = Far - 200 * (1 + static_cast<std::uint64_t>(this->Part->Rank()));
      EXPECT_FALSE(this->Part->Rank() > 0 && image->Holds(mine));
      if (image->IsMapped())
      {
        EXPECT_NO_THROW(image->Write(FileOffset(mine), bytes.data(), bytes.size()));
      }
      this->Part->Barrier();
      if (this->Between)
      {
        this->Between->Release();
      }
      image.reset();
      this->World->Barrier();
    });
}

TEST_F(LostAnswers, AFileThatWasGivenUpIsNotSealedLater)
{
  this->Couple(
    [&](LocalServer& server)
    {
      this->World->Barrier(); // all has been asked
      // The first is dropped when its writer has gone, behind all that its writer had asked for.
      ServerStatus status;
      const Deadline deadline(Seconds(30));
      while (this->Part->Rank() == 0 && status.ImagesAbandoned == 0 && !deadline.Expired())
      {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        status = server.Status();
      }
      if (this->Part->Rank() == 0)
      {
        EXPECT_EQ(status.ImagesAbandoned, 1u);
        status = StatusWithAll(server);
        ASSERT_EQ(status.Snapshots.size(), 1u);
        EXPECT_EQ(status.Snapshots.front().FileName, "/sim/next.h5");
      }
    },
    [&]
    {
      auto image = this->BeginThroughRelay("/sim/late.h5");
      this->Fill(*image, Size, 1);
      this->Part->Barrier();
      if (this->Between)
      {
        this->Between->Hold();
      }
      EXPECT_THROW(image->Seal(Size, {}), Error);
      EXPECT_EQ(this->Write("/sim/next.h5", Size, 2), 1u);
      image.reset();
      if (this->Between)
      {
        this->Between->Release();
      }
      this->World->Barrier();
    });
}

}
