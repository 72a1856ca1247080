// SPDX-License-Identifier: BSD-3-Clause
#include "World.h"

#include "Base/NodeIdentity.h"
#include "Mpi/Communicator.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <thread>

namespace bench
{

namespace
{
void Wait(MPI_Request request)
{
  for (int done = 0; !done;)
  {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (!done)
    {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
}

// The first n of the ranks from `first` on, for each n.
std::map<int, MPI_Comm> Groups(int first, const std::vector<int>& counts)
{
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::map<int, MPI_Comm> groups;
  for (const int count : std::set<int>(counts.begin(), counts.end()))
  {
    const bool inside = rank >= first && rank < first + count;
    MPI_Comm_split(MPI_COMM_WORLD, inside ? 0 : MPI_UNDEFINED, rank, &groups[count]);
  }
  return groups;
}
}

World::World(const std::vector<int>& hosts, const std::vector<int>& writers)
  : AllHosts(*std::max_element(hosts.begin(), hosts.end()))
{
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &this->MyRank);
  const int needed = this->AllHosts + *std::max_element(writers.begin(), writers.end());
  if (ranks != needed)
  {
    throw WrongUse(
      fmt::format("this runs on {} ranks and needs {}, {} hosts and then {} writers: mpiexec -n {}",
        ranks, needed, this->AllHosts, needed - this->AllHosts, needed));
  }
  const auto all = dsm::Communicator::Duplicate(MPI_COMM_WORLD);
  this->Nodes = all.AllGatherText(dsm::NodeIdentity());
  this->HostGroups = Groups(0, hosts);
  this->WriterGroups = Groups(this->AllHosts, writers);
}

World::~World()
{
  for (auto* groups : { &this->HostGroups, &this->WriterGroups })
  {
    for (auto& [count, group] : *groups)
    {
      if (group != MPI_COMM_NULL)
      {
        MPI_Comm_free(&group);
      }
    }
  }
}

bool World::LeadsHostNode(int hosts) const
{
  const auto& node = this->Nodes[static_cast<std::size_t>(this->MyRank)];
  return this->MyRank < hosts &&
    std::find(this->Nodes.begin(), this->Nodes.end(), node) - this->Nodes.begin() == this->MyRank;
}

int World::NodesOf(int first, int count) const
{
  const auto begin = this->Nodes.begin() + first;
  return static_cast<int>(std::set<std::string>(begin, begin + count).size());
}

void World::Barrier() const
{
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  Wait(request);
}

std::string World::Share(const std::string& text, int root) const
{
  MPI_Request request = MPI_REQUEST_NULL;
  std::uint64_t size = text.size();
  MPI_Ibcast(&size, 1, MPI_UINT64_T, root, MPI_COMM_WORLD, &request);
  Wait(request);
  std::string shared = text;
  shared.resize(size);
  MPI_Ibcast(shared.data(), static_cast<int>(size), MPI_CHAR, root, MPI_COMM_WORLD, &request);
  Wait(request);
  return shared;
}

double World::Sum(double value) const
{
  double sum = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
  Wait(request);
  return sum;
}

}
