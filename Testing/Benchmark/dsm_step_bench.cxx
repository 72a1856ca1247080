// SPDX-License-Identifier: BSD-3-Clause
// dsm_step_bench: what dsm_step costs a simulation when nothing is pending, beside a bare MPI_Bcast
// of as many bytes; and what a burst of changes costs it. Rank 0 hosts and sends them, the others
// simulate.
//
//   mpiexec -n 3 dsm_step_bench [--calls N] [--steps N] [--changes N] [--rounds N]
//
// It fails when a change is lost, comes twice, or does not come on all ranks at one step; never
// because of time.
#include "Attach/LocalServer.h"
#include "Base/Error.h"
#include "Client/dsm.h"
#include "Steering/SteeringService.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace
{

struct Settings
{
  int Calls = 100000; // of dsm_step and MPI_Bcast, in each round
  int Steps = 2000;   // of the flooded simulation, in each round
  int Changes = 3000; // of a burst
  int Rounds = 5;
};

struct Ranks
{
  MPI_Comm All = MPI_COMM_NULL;
  MPI_Comm Own = MPI_COMM_NULL; // of the simulation
  int Rank = 0;
  int OwnRank = 0;
  int OwnSize = 0;
};

void Require(bool good, const std::string& words)
{
  if (!good)
  {
    std::fprintf(stderr, "dsm_step_bench: %s\n", words.c_str());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

void Check(int status)
{
  Require(status == DSM_OK, dsm_last_error());
}

double Median(std::vector<double> values)
{
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// What one call costs, in µs: rank 0's own time for it.
template <typename Call>
double Cost(const Ranks& ranks, int calls, const Call& call)
{
  MPI_Barrier(ranks.Own);
  const double began = MPI_Wtime();
  for (int i = 0; i < calls; ++i)
  {
    call(i);
  }
  return (MPI_Wtime() - began) / calls * 1e6;
}

class Steered
{
public:
  Steered(const Ranks& ranks, const std::string& contact)
  {
    // An empty name would mean DSM_CONTACT, which main has cleared.
    Check(dsm_open(ranks.Own, contact.c_str(), &this->Session));
    Check(dsm_double(this->Session, "feed", &this->Feed));
    Check(dsm_int64(this->Session, "count", &this->Count));
    Check(dsm_command(this->Session, "tick", nullptr, nullptr));
  }
  ~Steered() { dsm_close(&this->Session); }
  Steered(const Steered&) = delete;
  Steered& operator=(const Steered&) = delete;

  dsm_session* Session = nullptr;
  double Feed = 0;
  int64_t Count = 0;
};

void Idle(const Ranks& ranks, const Settings& settings, const std::string& contact)
{
  Steered alone(ranks, "");
  Steered watched(ranks, contact);
  // The first step declares; then the server knows the program and asks for nothing.
  Check(dsm_step(alone.Session, 0, 0));
  Check(dsm_step(watched.Session, 0, 0));
  std::vector<double> bare;
  std::vector<double> without;
  std::vector<double> with;
  char bytes[24] = "";
  for (int round = 0; round < settings.Rounds; ++round)
  {
    bare.push_back(Cost(
      ranks, settings.Calls, [&](int) { MPI_Bcast(bytes, sizeof bytes, MPI_BYTE, 0, ranks.Own); }));
    without.push_back(
      Cost(ranks, settings.Calls, [&](int step) { Check(dsm_step(alone.Session, step + 1, 0)); }));
    with.push_back(Cost(
      ranks, settings.Calls, [&](int step) { Check(dsm_step(watched.Session, step + 1, 0)); }));
  }
  if (ranks.OwnRank == 0)
  {
    Require(dsm_connected(watched.Session), "the server is not connected: nothing was measured");
    fmt::print(
      "{} ranks: MPI_Bcast of 24 bytes {:.3f} us; dsm_step without a server {:.3f} us; with "
      "one, nothing pending {:.3f} us: {:.2f} of the MPI_Bcast, {:.3f} us more\n",
      ranks.OwnSize, Median(bare), Median(without), Median(with), Median(with) / Median(bare),
      Median(with) - Median(bare));
  }
}

// Some work of about half a millisecond whose result depends on the parameter.
double Work(double feed)
{
  double sum = 0;
  for (int i = 1; i < 60000; ++i)
  {
    sum += std::sqrt(feed + i);
  }
  return sum;
}

// Per step.
struct Seconds
{
  double Wall;
  double Cpu; // of the thread that simulates: other programs on a busy machine do not count in it
};

double ThreadTime()
{
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

// One simulation. `told` is how often the command came.
Seconds Simulate(const Ranks& ranks, Steered& steered, int steps, int64_t& told)
{
  double sum = 0;
  MPI_Barrier(ranks.Own);
  const double began = MPI_Wtime();
  const double used = ThreadTime();
  for (int step = 0; step < steps; ++step)
  {
    Check(dsm_step(steered.Session, step, step));
    told += dsm_commanded(steered.Session, "tick");
    sum += Work(steered.Feed);
    // What a simulation's own halo exchange is here; and no rank may have another value.
    double values[2] = { steered.Feed, -steered.Feed };
    MPI_Allreduce(MPI_IN_PLACE, values, 2, MPI_DOUBLE, MPI_MAX, ranks.Own);
    Require(values[0] == -values[1], "the ranks have different values of feed at one step");
  }
  Require(sum > 0, "no work was done");
  return { (MPI_Wtime() - began) / steps, (ThreadTime() - used) / steps };
}

// On the hosting rank: changes as fast as the service takes them, and then until the last has come.
class ChangeSender
{
public:
  ChangeSender(dsm::SteeringService& service, int changes, double pause)
    : Service(service)
    , Thread([this, changes, pause] { this->Run(changes, pause); })
  {
  }
  int64_t End()
  {
    this->Over = true;
    this->Thread.join();
    return this->Sent;
  }

private:
  void Run(int changes, double pause)
  {
    while (!this->Over && this->Sent < changes)
    {
      dsm::ApplyRequest apply;
      apply.Set = { { "feed", 1e-6 * double(this->Sent + 1) }, { "count", this->Sent + 1 } };
      apply.Commands = { { "tick", dsm::PlainValue() } };
      const auto answer = this->Service.Answer(apply, "benchmark");
      const auto* pending = std::get_if<dsm::PendingAnswer>(&answer);
      Require(pending, dsm::SteeringAnswerText(answer));
      this->Last = pending->Transaction;
      ++this->Sent;
      if (pause > 0)
      {
        std::this_thread::sleep_for(std::chrono::duration<double>(pause));
      }
    }
    const auto answer = this->Service.Answer(dsm::WaitRequest{ this->Last, 60 }, "benchmark");
    const auto* outcome = std::get_if<dsm::Outcome>(&answer);
    Require(outcome && outcome->Applied,
      "the last change was not applied: " + dsm::SteeringAnswerText(answer));
  }

  dsm::SteeringService& Service;
  std::atomic<bool> Over = false;
  int64_t Sent = 0;
  std::uint64_t Last = 0;
  std::thread Thread;
};

enum Phase
{
  Quiet,
  Thousand, // a second
  FullSpeed
};
constexpr const char* Names[] = { "no changes", "1000 changes a second", "full speed" };

// Both sides go through the same rounds and meet at barriers.
void Flooded(const Ranks& ranks, const Settings& settings, const std::string& contact,
  dsm::SteeringService* service)
{
  std::unique_ptr<Steered> steered;
  if (!service)
  {
    steered = std::make_unique<Steered>(ranks, contact);
    Check(dsm_step(steered->Session, 0, 0));
  }
  MPI_Barrier(ranks.All);
  std::vector<Seconds> seconds[3];
  int64_t sent[3] = { 0, 0, 0 };
  for (int round = 0; round < settings.Rounds; ++round)
  {
    for (const Phase phase : { Quiet, Thousand, FullSpeed })
    {
      int64_t told = 0;
      int64_t expected = 0;
      if (service)
      {
        MPI_Barrier(ranks.All);
        std::unique_ptr<ChangeSender> sender;
        if (phase != Quiet)
        {
          sender = std::make_unique<ChangeSender>(
            *service, settings.Changes, phase == Thousand ? 1e-3 : 0.0);
        }
        // A receive that sleeps: this rank must not take a core from the simulation.
        MPI_Request timed = MPI_REQUEST_NULL;
        char byte = 0;
        MPI_Irecv(&byte, 1, MPI_BYTE, 1, 0, ranks.All, &timed);
        for (int done = 0; !done;)
        {
          MPI_Test(&timed, &done, MPI_STATUS_IGNORE);
          std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
        expected = sender ? sender->End() : 0;
        // More steps until the last change is through; then both sides compare.
        MPI_Send(&expected, 1, MPI_INT64_T, 1, 0, ranks.All);
      }
      else
      {
        MPI_Barrier(ranks.All);
        seconds[phase].push_back(Simulate(ranks, *steered, settings.Steps, told));
        MPI_Request arrived = MPI_REQUEST_NULL;
        if (ranks.OwnRank == 0)
        {
          const char byte = 0;
          MPI_Send(&byte, 1, MPI_BYTE, 0, 0, ranks.All);
          MPI_Irecv(&expected, 1, MPI_INT64_T, 0, 0, ranks.All, &arrived);
        }
        for (int done = 0; !done;)
        {
          Simulate(ranks, *steered, 1, told);
          if (ranks.OwnRank == 0)
          {
            MPI_Test(&arrived, &done, MPI_STATUS_IGNORE);
          }
          MPI_Bcast(&done, 1, MPI_INT, 0, ranks.Own);
        }
        MPI_Bcast(&expected, 1, MPI_INT64_T, 0, ranks.Own);
        sent[phase] += expected;
        Require(told == expected, fmt::format("{} changes were sent, {} came", expected, told));
        Require(
          expected == 0 || (steered->Count == expected && steered->Feed == 1e-6 * double(expected)),
          fmt::format("the last value was lost: {}, not {}", steered->Count, expected));
      }
    }
  }
  if (ranks.OwnRank == 0 && !service)
  {
    for (const Phase phase : { Quiet, Thousand, FullSpeed })
    {
      std::vector<double> wall;
      std::vector<double> cpu;
      std::vector<double> steps;
      for (std::size_t round = 0; round < seconds[phase].size(); ++round)
      {
        wall.push_back(seconds[phase][round].Wall / seconds[Quiet][round].Wall);
        cpu.push_back(seconds[phase][round].Cpu / seconds[Quiet][round].Cpu);
        steps.push_back(seconds[phase][round].Wall);
      }
      fmt::print("{}: {:.1f} us a step, {:.3f} of that without changes ({:.3f} of the processor "
                 "time); {} changes, each came once\n",
        Names[phase], 1e6 * Median(steps), Median(wall), Median(cpu), sent[phase]);
    }
  }
}

void Run(const Ranks& ranks, const Settings& settings, const std::string& folder)
{
  const std::string contact = folder + "/run.dsm";
  if (ranks.Rank == 0)
  {
    dsm::ServerOptions options;
    options.ContactFile = contact;
    options.MemoryPerHost = 1 << 20;
    const auto self = dsm::Communicator::Duplicate(MPI_COMM_SELF);
    dsm::LocalServer server(self, options);
    MPI_Barrier(ranks.All);
    // The idle part is timed without a rank that spins in a barrier.
    MPI_Request timed = MPI_REQUEST_NULL;
    MPI_Ibarrier(ranks.All, &timed);
    for (int done = 0; !done;)
    {
      MPI_Test(&timed, &done, MPI_STATUS_IGNORE);
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    Flooded(ranks, settings, contact, server.Steering());
    MPI_Barrier(ranks.All);
    server.Stop();
  }
  else
  {
    MPI_Barrier(ranks.All);
    Idle(ranks, settings, contact);
    MPI_Request timed = MPI_REQUEST_NULL;
    MPI_Ibarrier(ranks.All, &timed);
    MPI_Wait(&timed, MPI_STATUS_IGNORE);
    Flooded(ranks, settings, contact, nullptr);
    MPI_Barrier(ranks.All);
  }
}

}

int main(int argc, char** argv)
{
  MPI_Init(&argc, &argv);
  Ranks ranks;
  ranks.All = MPI_COMM_WORLD;
  MPI_Comm_rank(ranks.All, &ranks.Rank);
  int size = 0;
  MPI_Comm_size(ranks.All, &size);
  CLI::App app("What dsm_step costs, idle and flooded with changes.", "dsm_step_bench");
  Settings settings;
  app.add_option("--calls", settings.Calls, "dsm_step calls in a round")
    ->check(CLI::PositiveNumber);
  app.add_option("--steps", settings.Steps, "steps of the flooded simulation in a round")
    ->check(CLI::PositiveNumber);
  app.add_option("--changes", settings.Changes, "changes of a burst")->check(CLI::PositiveNumber);
  app.add_option("--rounds", settings.Rounds, "rounds; medians are printed")
    ->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  Require(size >= 2, "needs a rank that hosts and at least one that simulates");
  unsetenv("DSM_CONTACT");
  unsetenv("DSM_START_PAUSED");

  MPI_Comm_split(ranks.All, ranks.Rank == 0 ? 0 : 1, ranks.Rank, &ranks.Own);
  MPI_Comm_rank(ranks.Own, &ranks.OwnRank);
  MPI_Comm_size(ranks.Own, &ranks.OwnSize);
  char folder[] = "/tmp/dsm-step-bench-XXXXXX";
  if (ranks.Rank == 0)
  {
    Require(mkdtemp(folder) != nullptr, "cannot make a folder below /tmp");
  }
  MPI_Bcast(folder, sizeof folder, MPI_CHAR, 0, ranks.All);
  try
  {
    Run(ranks, settings, folder);
  }
  catch (const std::exception& error)
  {
    Require(false, error.what());
  }
  if (ranks.Rank == 0)
  {
    std::filesystem::remove_all(folder);
  }
  MPI_Comm_free(&ranks.Own);
  MPI_Finalize();
  return 0;
}
