// SPDX-License-Identifier: BSD-3-Clause
// dsm.h on several ranks that do not agree: told in words, on every rank, and never a wait without
// end. A steering log that is replayed makes the sessions active; no server is needed.
#include "Base/Log.h"
#include "Client/dsm.h"

#include <gtest/gtest.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/callback_sink.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <string>
#include <thread>

#include <unistd.h>

namespace
{

int Rank(MPI_Comm comm = MPI_COMM_WORLD)
{
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

int Size()
{
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

/// A session whose log sets feed at step 1, and what the library logs.
class ClientRanks : public testing::Test
{
protected:
  ClientRanks()
  {
    // One name for all: rank 0's process is the only one of its number.
    int process = getpid();
    MPI_Bcast(&process, 1, MPI_INT, 0, MPI_COMM_WORLD);
    this->Common =
      std::filesystem::temp_directory_path() / ("dsm-ranks-" + std::to_string(process));
    this->Path = this->Name("log", Rank());
    std::ofstream(this->Path) << "1\t-\tada\tsim\t1\t0\tset\t\"feed\"\t0\t0.5\n";
    setenv("DSM_REPLAY", this->Path.c_str(), 1);
    setenv("DSM_STEP_WARNING", "0.2", 1);
    setenv("DSM_WAIT_WARNING", "1", 1);
    this->Sink = std::make_shared<spdlog::sinks::callback_sink_mt>(
      [this](const spdlog::details::log_msg& message)
      {
        const std::lock_guard lock(this->Guard);
        this->Words.append(message.payload.data(), message.payload.size());
        std::ofstream(this->Name("said", Rank())) << this->Words;
      });
    dsm::Log().Underlying().sinks().push_back(this->Sink);
    EXPECT_EQ(dsm_open(MPI_COMM_WORLD, "", &this->Session), DSM_OK) << dsm_last_error();
  }

  ~ClientRanks() override
  {
    EXPECT_EQ(dsm_close(&this->Session), DSM_OK);
    dsm::Log().Underlying().sinks().pop_back();
    std::filesystem::remove(this->Path);
    std::filesystem::remove(this->Name("said", Rank()));
    unsetenv("DSM_REPLAY");
    MPI_Barrier(MPI_COMM_WORLD);
  }

  /// A file of one rank, as every rank calls it.
  std::filesystem::path Name(const std::string& what, int rank) const
  {
    return this->Common.string() + "." + what + "." + std::to_string(rank);
  }

  /// What was logged here.
  std::string Said()
  {
    const std::lock_guard lock(this->Guard);
    return this->Words;
  }

  std::filesystem::path Common;
  std::filesystem::path Path;
  std::mutex Guard;
  std::string Words;
  std::shared_ptr<spdlog::sinks::callback_sink_mt> Sink;
  dsm_session* Session = nullptr;
  double Feed = 0.25;
};

bool Has(const std::string& text, const std::string& words)
{
  return text.find(words) != std::string::npos;
}

TEST_F(ClientRanks, OtherDeclarationsOnOneRankAreAnErrorOnAll)
{
  if (Rank() == Size() - 1 && Size() > 1)
  {
    EXPECT_EQ(dsm_double(this->Session, "food", &this->Feed), DSM_OK);
  }
  EXPECT_EQ(dsm_double(this->Session, "feed", &this->Feed), DSM_OK);
  for (int step = 0; step < 2; ++step)
  {
    const int status = dsm_step(this->Session, step, 0);
    EXPECT_EQ(status, Size() > 1 ? DSM_ERROR_USAGE : DSM_OK);
    if (Size() > 1)
    {
      EXPECT_TRUE(Has(dsm_last_error(), "the ranks of this simulation declare different"));
      EXPECT_TRUE(Has(dsm_last_error(), "rank " + std::to_string(Size() - 1))) << dsm_last_error();
    }
  }
}

TEST_F(ClientRanks, WarnsWhenRankZeroDoesNotOpenASession)
{
  if (Rank() == 0)
  {
    std::this_thread::sleep_for(std::chrono::seconds(2));
  }
  dsm_session* second = nullptr;
  EXPECT_EQ(dsm_open(MPI_COMM_WORLD, "", &second), DSM_OK);
  EXPECT_EQ(dsm_close(&second), DSM_OK);
  // The first few ranks speak for the others.
  if (Rank() > 0 && Rank() < 4)
  {
    EXPECT_TRUE(Has(this->Said(), "waiting for the other ranks for 1 s")) << this->Said();
  }
}

TEST_F(ClientRanks, LessRoomOrFewerChoicesOnOneRankAreAnError)
{
  // What is set would not fit there.
  char label[16] = "a";
  int mode = 0;
  const bool other = Rank() == 1;
  EXPECT_EQ(dsm_double(this->Session, "feed", &this->Feed), DSM_OK);
  EXPECT_EQ(dsm_string(this->Session, "label", label, other ? 8 : 16), DSM_OK);
  EXPECT_EQ(dsm_step(this->Session, 0, 0), Size() > 1 ? DSM_ERROR_USAGE : DSM_OK);
  dsm_session* second = nullptr;
  EXPECT_EQ(dsm_open(MPI_COMM_WORLD, "", &second), DSM_OK);
  EXPECT_EQ(dsm_double(second, "feed", &this->Feed), DSM_OK);
  EXPECT_EQ(dsm_enum(second, "mode", &mode, other ? "one" : "one|two"), DSM_OK);
  EXPECT_EQ(dsm_step(second, 0, 0), Size() > 1 ? DSM_ERROR_USAGE : DSM_OK);
  EXPECT_EQ(dsm_close(&second), DSM_OK);
}

TEST_F(ClientRanks, OtherFirstValuesAreSaidAndChangedToTheSame)
{
  this->Feed = Rank() == 0 ? 0.25 : 0.125;
  EXPECT_EQ(dsm_double(this->Session, "feed", &this->Feed), DSM_OK);
  EXPECT_EQ(dsm_step(this->Session, 0, 0), DSM_OK);
  EXPECT_EQ(this->Feed, Rank() == 0 ? 0.25 : 0.125);
  const auto said = this->Said();
  EXPECT_EQ(
    Has(
      said, "\"feed\" begins with another value than here, 0.25, on " + std::to_string(Size() - 1)),
    Rank() == 0 && Size() > 1)
    << said;
  EXPECT_EQ(dsm_step(this->Session, 1, 0), DSM_OK);
  EXPECT_EQ(this->Feed, 0.5);
}

TEST_F(ClientRanks, AnotherStepOnOneRankIsSaidThere)
{
  EXPECT_EQ(dsm_double(this->Session, "feed", &this->Feed), DSM_OK);
  const bool other = Size() > 1 && Rank() == 1;
  EXPECT_EQ(dsm_step(this->Session, other ? 7 : 1, 0), other ? DSM_ERROR_USAGE : DSM_OK);
  EXPECT_TRUE(!other || Has(dsm_last_error(), "rank 1 calls it for step 7, and rank 0 for step 1"))
    << dsm_last_error();
  EXPECT_EQ(this->Feed, 0.5) << "it is changed there as well";
}

TEST_F(ClientRanks, ARankThatWaitsForRank0SaysSo)
{
  EXPECT_EQ(dsm_double(this->Session, "feed", &this->Feed), DSM_OK);
  EXPECT_EQ(dsm_step(this->Session, 0, 0), DSM_OK);
  if (Rank() == 0)
  {
    // Comes when each of the others has said it.
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    for (int other = 1; other < Size(); ++other)
    {
      while (!std::filesystem::exists(this->Name("said", other)) &&
        std::chrono::steady_clock::now() < end)
      {
        std::this_thread::yield();
      }
    }
  }
  EXPECT_EQ(dsm_step(this->Session, 1, 0), DSM_OK);
  const auto said = this->Said();
  EXPECT_EQ(Has(said, "waits for rank 0 in dsm_step of step 1"), Rank() > 0) << said;
}

TEST_F(ClientRanks, PartsOfTheJobHaveSessionsOfTheirOwn)
{
  // Two halves, and a session of each rank by itself, beside the one of all.
  const int half = Rank() % 2;
  MPI_Comm part = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, half, 0, &part);
  dsm_session* own = nullptr;
  dsm_session* alone = nullptr;
  double feeds[3] = { 0, 0, 0 };
  EXPECT_EQ(dsm_open(part, "", &own), DSM_OK) << dsm_last_error();
  EXPECT_EQ(dsm_open(MPI_COMM_SELF, "", &alone), DSM_OK) << dsm_last_error();
  EXPECT_EQ(dsm_double(this->Session, "feed", &feeds[0]), DSM_OK);
  EXPECT_EQ(dsm_double(own, "feed", &feeds[1]), DSM_OK);
  EXPECT_EQ(dsm_double(alone, "feed", &feeds[2]), DSM_OK);
  for (int step = 0; step < 2; ++step)
  {
    // As often as each likes.
    for (int times = 0; times <= half; ++times)
    {
      EXPECT_EQ(dsm_step(own, step, 0), DSM_OK) << dsm_last_error();
    }
    for (int times = 0; times < Rank(); ++times)
    {
      EXPECT_EQ(dsm_step(alone, step, 0), DSM_OK) << dsm_last_error();
    }
    EXPECT_EQ(dsm_step(this->Session, step, 0), DSM_OK) << dsm_last_error();
  }
  EXPECT_EQ(feeds[0], 0.5);
  EXPECT_EQ(feeds[1], 0.5);
  EXPECT_EQ(feeds[2], Rank() > 0 ? 0.5 : 0);
  EXPECT_EQ(dsm_close(&alone), DSM_OK);
  EXPECT_EQ(dsm_close(&own), DSM_OK);
  EXPECT_EQ(dsm_open(MPI_COMM_NULL, "", &own), DSM_ERROR_USAGE);
  EXPECT_TRUE(Has(dsm_last_error(), "MPI_COMM_NULL")) << dsm_last_error();
  EXPECT_EQ(own, nullptr);
  MPI_Comm_free(&part);
}

}
