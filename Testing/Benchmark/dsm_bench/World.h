// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace bench
{

/// What all ranks find wrong alike, before anything was done.
class WrongUse : public std::runtime_error
{
public:
  using std::runtime_error::runtime_error;
};

/// All ranks of the program: the first are hosts, the others writers. Waiting here leaves the core
/// to others, which the hosts of a real coupling do as well.
class World
{
public:
  /// Collective. Communicators for the first n hosts and the first n writers are made for every n
  /// in the lists. Throws WrongUse when the number of ranks is not that of hosts and writers.
  World(const std::vector<int>& hosts, const std::vector<int>& writers);
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  int Rank() const { return this->MyRank; }
  int FirstWriter() const { return this->AllHosts; }

  /// MPI_COMM_NULL on ranks that are not among them.
  MPI_Comm Hosts(int count) const { return this->HostGroups.at(count); }
  MPI_Comm Writers(int count) const { return this->WriterGroups.at(count); }

  /// True on one rank of each node among those hosts.
  bool LeadsHostNode(int hosts) const;
  int HostNodes(int hosts) const { return this->NodesOf(0, hosts); }
  int WriterNodes(int writers) const { return this->NodesOf(this->AllHosts, writers); }

  /// Collective over all ranks.
  void Barrier() const;
  /// Collective: `text` of rank `root`, on all.
  std::string Share(const std::string& text, int root) const;
  /// Collective: the sum of all ranks' values.
  double Sum(double value) const;

private:
  int NodesOf(int first, int count) const;

  int MyRank = 0;
  int AllHosts = 0;
  std::vector<std::string> Nodes; ///< of every rank
  std::map<int, MPI_Comm> HostGroups;
  std::map<int, MPI_Comm> WriterGroups;
};

/// Collective over `comm`: seconds that `work` takes on the slowest rank, from a common start.
template <typename Work>
double SecondsOf(MPI_Comm comm, Work&& work)
{
  MPI_Barrier(comm);
  const double begin = MPI_Wtime();
  work();
  double seconds = MPI_Wtime() - begin;
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, comm);
  return seconds;
}

}
