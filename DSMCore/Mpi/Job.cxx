// SPDX-License-Identifier: BSD-3-Clause
#include "Mpi/Job.h"

#include "Base/Environment.h"
#include "Base/Error.h"
#include "Base/Log.h"
#include "Base/Threads.h"
#include "Base/Watchdog.h"

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <utility>

namespace dsm::job
{

namespace
{
int ThreadLevel()
{
  int level = MPI_THREAD_SINGLE;
  CheckMpi(MPI_Query_thread(&level), "MPI_Query_thread");
  return level;
}

int ColourOfThisProgram()
{
  if (const auto text = environment::Text("DSM_MPMD_COLOUR"))
  {
    char* end = nullptr;
    errno = 0;
    const long value = std::strtol(text->c_str(), &end, 10);
    if (*end != '\0' || errno != 0 || value < 0 || value > INT_MAX)
    {
      throw Error(Fault::Usage,
        "DSM_MPMD_COLOUR is \"{}\": give a number, the same for all ranks of one program", *text);
    }
    return static_cast<int>(value);
  }
  int* number = nullptr;
  int found = 0;
  CheckMpi(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &number, &found), "MPI_Comm_get_attr");
  return found ? *number : 0;
}

// MPI_Finalize begins by taking the attributes off MPI_COMM_SELF.
std::atomic<bool> finalizing = false;

int AttributeGoes(MPI_Comm, int, void* value, void*)
{
  finalizing = true;
  auto* work = static_cast<std::function<void()>*>(value);
  try
  {
    (*work)();
  }
  catch (const std::exception& error)
  {
    Log().warn("while MPI_Finalize began: {}", error.what());
  }
  delete work;
  return MPI_SUCCESS;
}
}

bool AllowsThreads()
{
  return ThreadLevel() == MPI_THREAD_MULTIPLE;
}

std::string ThreadLevelName()
{
  switch (ThreadLevel())
  {
    case MPI_THREAD_SINGLE:
      return "MPI_THREAD_SINGLE";
    case MPI_THREAD_FUNNELED:
      return "MPI_THREAD_FUNNELED";
    case MPI_THREAD_SERIALIZED:
      return "MPI_THREAD_SERIALIZED";
    default:
      return "MPI_THREAD_MULTIPLE";
  }
}

std::string MoreThreadsText()
{
  return "set OMPI_MPI_THREAD_LEVEL=3 (Open MPI) or "
         "MPIR_CVAR_DEFAULT_THREAD_LEVEL=MPI_THREAD_MULTIPLE (MPICH) for it";
}

int WorldRank()
{
  int rank = 0;
  CheckMpi(MPI_Comm_rank(MPI_COMM_WORLD, &rank), "MPI_Comm_rank");
  return rank;
}

int WorldSize()
{
  int size = 0;
  CheckMpi(MPI_Comm_size(MPI_COMM_WORLD, &size), "MPI_Comm_size");
  return size;
}

Communicator ThisProgram()
{
  MPI_Comm part = MPI_COMM_NULL;
  CheckMpi(
    MPI_Comm_split(MPI_COMM_WORLD, ColourOfThisProgram(), WorldRank(), &part), "MPI_Comm_split");
  return Communicator::Adopt(part);
}

void LimitFinalize(Seconds limit, const std::string& why)
{
  static std::once_flag once;
  const auto begin = [limit, why]
  {
    const SignalsBlocked quiet;
    std::thread(
      [limit, why]
      {
        std::this_thread::sleep_for(limit);
        EndThisProcess(fmt::format("MPI_Finalize did not return within {:.3g} s, and this process "
                                   "ends without it: {}",
          limit.count(), why));
      })
      .detach();
  };
  std::call_once(once,
    [&]
    {
      if (finalizing)
      {
        begin();
      }
      else if (MpiIsAlive())
      {
        AtFinalize(begin);
      }
    });
}

void AtFinalize(std::function<void()> work)
{
  int key = MPI_KEYVAL_INVALID;
  CheckMpi(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, AttributeGoes, &key, nullptr),
    "MPI_Comm_create_keyval");
  CheckMpi(MPI_Comm_set_attr(MPI_COMM_SELF, key, new std::function<void()>(std::move(work))),
    "MPI_Comm_set_attr");
  CheckMpi(MPI_Comm_free_keyval(&key), "MPI_Comm_free_keyval");
}

}
