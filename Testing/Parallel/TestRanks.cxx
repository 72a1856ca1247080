// SPDX-License-Identifier: BSD-3-Clause
#include "TestRanks.h"

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

namespace testranks
{

namespace
{

MPI_Comm all = MPI_COMM_WORLD;
MPI_Comm between = MPI_COMM_NULL;

// The file appears with its contents, or not at all.
void Publish(const std::string& file, const char* port)
{
  const std::string partial = file + ".partial";
  std::ofstream(partial) << port;
  std::filesystem::rename(partial, file);
}

std::string ReadPort(const std::string& file)
{
  for (int tries = 0; tries < 3000; ++tries)
  {
    if (std::ifstream text(file); text)
    {
      std::string port;
      std::getline(text, port);
      return port;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  std::fprintf(stderr, "the other job did not write its port to %s within 30 s\n", file.c_str());
  MPI_Abort(MPI_COMM_WORLD, 1);
  return "";
}

}

void Connect()
{
  const char* asked = std::getenv("DSM_TEST_JOIN");
  if (!asked)
  {
    return;
  }
  const std::string text = asked;
  const bool first = text.rfind("accept:", 0) == 0;
  const std::string file = text.substr(text.find(':') + 1);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::array<char, MPI_MAX_PORT_NAME> port{};
  if (first)
  {
    if (rank == 0)
    {
      MPI_Open_port(MPI_INFO_NULL, port.data());
      Publish(file, port.data());
    }
    MPI_Comm_accept(port.data(), MPI_INFO_NULL, 0, MPI_COMM_WORLD, &between);
  }
  else
  {
    const std::string name = rank == 0 ? ReadPort(file) : "";
    MPI_Comm_connect(name.c_str(), MPI_INFO_NULL, 0, MPI_COMM_WORLD, &between);
  }
  MPI_Intercomm_merge(between, first ? 0 : 1, &all);
}

void Disconnect()
{
  if (AreTwoJobs())
  {
    MPI_Comm_disconnect(&all);
    MPI_Comm_disconnect(&between);
  }
}

MPI_Comm Comm()
{
  return all;
}

bool AreTwoJobs()
{
  return between != MPI_COMM_NULL;
}

}
