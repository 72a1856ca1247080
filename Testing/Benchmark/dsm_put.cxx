// SPDX-License-Identifier: BSD-3-Clause
// Latency and bandwidth of puts between two processes on one machine, by message size, for the
// transports that need no MPI: one put and its completion at a time, and 64 MiB (or 1000 puts) at
// once. Prints CSV.
#include "Base/Error.h"
#include "Base/NodeIdentity.h"
#include "Encoding/Encoding.h"
#include "Memory/Segment.h"
#include "Mpi/Communicator.h"
#include "Protocol/Descriptions.h"
#include "Transport/ChooseTransport.h"
#include "Transport/Fabric/FabricHost.h"
#include "Transport/Routes.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

namespace
{

using Clock = std::chrono::steady_clock;
constexpr std::uint64_t MiB = UINT64_C(1) << 20;
constexpr std::uint64_t HostBytes = 64 * MiB;

double Microseconds(Clock::time_point begin)
{
  return std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
}

// The host: publishes its memory through the pipe, and stays until it is killed.
[[noreturn]] void Host(const std::string& transport, int pipeToPeer)
{
  try
  {
    const auto memory = dsm::Segment::Create(HostBytes);
    memory.Populate(0, HostBytes);
    dsm::ServerDescription server;
    server.SlotSize = HostBytes;
    server.SlotCount = 1;
    server.Transport = dsm::TransportFromText(transport);
    server.Transport.NodeMemory = false;
    const auto alone = dsm::Communicator::Single();
    const dsm::FabricHost fabric(
      { alone, memory.Data(), memory.Size(), 0, memory.Name(), {}, false, {} }, server.Transport);
    std::vector<dsm::TransportOffer> offers{ { "shared-memory",
      { memory.Name().begin(), memory.Name().end() } } };
    for (const dsm::FabricAddress& address : fabric.Addresses())
    {
      offers.push_back(dsm::OfferOf(address));
    }
    server.Hosts.push_back(
      { dsm::NodeIdentity(), "here", dsm::NetworkIdentity(), std::move(offers) });
    const dsm::Bytes told = dsm::Encode(server);
    const bool isTold =
      write(pipeToPeer, told.data(), told.size()) == static_cast<ssize_t>(told.size());
    close(pipeToPeer);
    if (isTold)
    {
      sigset_t ends;
      sigemptyset(&ends);
      sigaddset(&ends, SIGTERM);
      sigprocmask(SIG_BLOCK, &ends, nullptr);
      int signal = 0;
      sigwait(&ends, &signal);
    }
  }
  catch (const std::exception& error)
  {
    std::fprintf(stderr, "%s\n", error.what());
  }
  std::exit(0);
}

dsm::Bytes ReadAll(int descriptor)
{
  dsm::Bytes bytes;
  std::uint8_t byte = 0;
  while (read(descriptor, &byte, 1) == 1)
  {
    bytes.push_back(byte);
  }
  return bytes;
}

void Measure(dsm::Transport& mover, const std::string& name, double seconds)
{
  const std::vector<std::byte> source(HostBytes, std::byte(1));
  for (std::uint64_t size = 1; size <= HostBytes; size *= 8)
  {
    std::vector<double> times;
    const auto begin = Clock::now();
    while (times.size() < 5 || (Microseconds(begin) < seconds * 5e5 && times.size() < 100000))
    {
      const auto one = Clock::now();
      mover.Put(0, 0, source.data(), size);
      mover.Flush();
      times.push_back(Microseconds(one));
    }
    std::sort(times.begin(), times.end());
    const double latency = times[times.size() / 2];
    const std::uint64_t puts = std::clamp<std::uint64_t>(HostBytes / size, 1, 1000);
    double best = 1e30;
    const auto rounds = Clock::now();
    do
    {
      const auto one = Clock::now();
      for (std::uint64_t put = 0; put < puts; ++put)
      {
        mover.Put(0, put * size, source.data() + put * size, size);
      }
      mover.Flush();
      best = std::min(best, Microseconds(one));
    } while (Microseconds(rounds) < seconds * 5e5);
    fmt::print(
      "{},{},{:.2f},{:.4f}\n", name, size, latency, static_cast<double>(puts * size) / best / 1e3);
    std::fflush(stdout);
  }
}

// False where it could not be measured.
bool Run(const std::string& transport, double seconds)
{
  int ends[2] = {};
  if (pipe(ends) != 0)
  {
    throw dsm::Error(dsm::Fault::System, "pipe: {}", dsm::SystemText(errno));
  }
  const pid_t host = fork();
  if (host == 0)
  {
    close(ends[0]);
    Host(transport, ends[1]);
  }
  close(ends[1]);
  const dsm::Bytes told = ReadAll(ends[0]);
  close(ends[0]);
  bool isMeasured = false;
  if (!told.empty())
  {
    try
    {
      const auto server = dsm::Decode<dsm::ServerDescription>(told, "the host's description");
      const auto transport = dsm::MakeRoutes(server, server.Transport, {});
      Measure(*transport, transport->Name(), seconds);
      isMeasured = true;
    }
    catch (const std::exception& error)
    {
      std::fprintf(stderr, "%s\n", error.what());
    }
  }
  kill(host, SIGTERM);
  waitpid(host, nullptr, 0);
  return isMeasured;
}

}

int main(int argc, char** argv)
{
  try
  {
    std::vector<std::string> transports;
    double seconds = 0.5;
    CLI::App app("Latency and bandwidth of puts between two processes on this machine");
    app.add_option("transports", transports, "shared-memory, fabric/tcp, fabric/shm, …")
      ->required();
    app.add_option("--seconds", seconds, "to spend on each message size")->capture_default_str();
    CLI11_PARSE(app, argc, argv);
    fmt::print("transport,bytes,microseconds per put,GB/s\n");
    std::fflush(stdout);
    bool all = true;
    for (const std::string& transport : transports)
    {
      all = Run(transport, seconds) && all;
    }
    return all ? 0 : 1;
  }
  catch (const std::exception& error)
  {
    std::fprintf(stderr, "dsm_put: %s\n", error.what());
    return 1;
  }
}
