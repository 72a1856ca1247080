// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Client/ArraySlab.h"
#include "Client/Bindings.h"
#include "Client/FetchedArray.h"
#include "Client/ProgramRanks.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dsm
{

/// The arrays that a simulation lets viewers change. Each rank has a part of each.
class SteeredArrays
{
public:
  /// Both must outlive this.
  SteeredArrays(const ProgramRanks& ranks, Bindings& bindings)
    : Ranks(ranks)
    , Known(bindings)
  {
  }
  SteeredArrays(const SteeredArrays&) = delete;
  SteeredArrays& operator=(const SteeredArrays&) = delete;

  /// Declares an array of which this rank has `part` elements at `memory`. The ranks' parts follow
  /// one another in the first direction, in the order of the ranks; in the others they are equal.
  /// Throws Error(Usage) as Bindings::AddParameter does.
  void AddStacked(const std::string& name, ArrayShape part, std::byte* memory);

  /// Declares an array of which this rank has a block (ArraySlab).
  void AddBlock(const std::string& name, const ArrayShape& whole, std::vector<std::uint64_t> starts,
    std::vector<std::uint64_t> counts, std::byte* memory);

  /// Finds out where the ranks' parts of new arrays lie, before viewers hear of these. Collective:
  /// all ranks have declared the same arrays.
  void Place();

  /// Takes the elements of the arrays that a plan sets, on rank 0, before that is carried out.
  void Bring(std::vector<FetchedArray> fetched) { this->Fetched = std::move(fetched); }

private:
  struct Array
  {
    std::string Name;
    std::uint64_t ElementBytes = 0;
    std::byte* Memory = nullptr;
    std::vector<std::uint64_t> Part; ///< this rank's sizes
    std::optional<ArraySlab> Slab;   ///< none: not placed yet
    std::string Now;                 ///< the SentArray that it holds, as text
  };

  void Declare(const std::string& name, const ArrayShape& shape, std::unique_ptr<Array> array);
  void Receive(Array& array, const std::string& text);

  const ProgramRanks& Ranks;
  Bindings& Known;
  std::vector<std::unique_ptr<Array>> All; ///< the bindings refer to them
  std::vector<FetchedArray> Fetched;
};

}
