// SPDX-License-Identifier: BSD-3-Clause
#include "Mapping/Cycle.h"

#include "Base/Error.h"

namespace dsm
{

Cycle::Cycle(const MapParameters& parameters)
  : Hosts(parameters.Hosts)
  , BlockSize(parameters.BlockSize)
  , Length(parameters.BlocksPerCycle == 0 ? parameters.Hosts : parameters.BlocksPerCycle)
{
  if (this->BlockSize == 0 || this->BlockSize > parameters.HostCapacity)
  {
    throw Error(Fault::Usage,
      "a block size of {} bytes does not fit hosts that have {} bytes for an image: choose one "
      "from 1 to {}",
      this->BlockSize, parameters.HostCapacity, parameters.HostCapacity);
  }
  this->BlocksPerHost = parameters.HostCapacity / this->BlockSize;
  this->Rounds = this->Length / this->Hosts;
  this->Extra = this->Length % this->Hosts;
  if (this->PositionsOf(0) > this->BlocksPerHost)
  {
    throw Error(Fault::Usage,
      "a cycle of {} blocks of {} bytes does not fit {} hosts that have {} bytes each for an "
      "image: choose at most {} blocks per cycle, or smaller blocks",
      this->Length, this->BlockSize, this->Hosts, parameters.HostCapacity,
      this->Hosts * this->BlocksPerHost);
  }
}

}
