// SPDX-License-Identifier: BSD-3-Clause
// The driver's transfers, as HDF5 calls them: vectors of pieces and selections of dataspaces go
// through the class table's callbacks and an address map into segments of memory. A flat buffer,
// filled as HDF5 documents these calls, must hold the same bytes; what does not fit fails, and
// touches nothing outside. No MPI, no server.
#include "Fuzz.h"

#include "../PlainFile.h"
#include "Driver/Callbacks.h"
#include "Driver/ErrorStack.h"
#include "Mapping/AddressMap.h"

#include <array>
#include <cstring>
#include <memory>
#include <vector>

namespace
{

using namespace dsm;
using dsm::fuzz::Numbers;
using dsm::fuzz::Require;

constexpr std::uint64_t LargestHost = 512;
constexpr std::uint64_t MostHosts = 4;
constexpr std::uint64_t MostPieces = 12;
constexpr std::uint64_t LargestPiece = 80;
constexpr int MostTransfers = 6;

// A file whose bytes lie where a map says, in a segment for each host.
class MappedFile final : public PlainFile
{
public:
  explicit MappedFile(const AddressMap& map)
    : Map(map)
    , Segments(map.Parameters().Hosts, std::vector<std::byte>(map.Parameters().HostCapacity))
  {
  }

  std::uint64_t InitialEnd() const override { return 0; }
  std::uint64_t Capacity() const override { return this->Map.Capacity(); }

  void Read(FileOffset address, void* destination, std::uint64_t size) override
  {
    this->ForEachRun(address, size,
      [&](std::byte* place, std::uint64_t position, std::uint64_t length)
      { std::memcpy(static_cast<std::byte*>(destination) + position, place, length); });
  }

  void Write(FileOffset address, const void* source, std::uint64_t size) override
  {
    this->ForEachRun(address, size,
      [&](std::byte* place, std::uint64_t position, std::uint64_t length)
      { std::memcpy(place, static_cast<const std::byte*>(source) + position, length); });
  }

private:
  // As an image refuses what its server has no room for.
  template <typename Visitor>
  void ForEachRun(FileOffset address, std::uint64_t size, const Visitor& visit)
  {
    if (address > this->Capacity() || size > this->Capacity() - address)
    {
      throw Error(Fault::RingFull, "there is no room for it");
    }
    this->Map.ForEachRun(address, size,
      [&](HostIndex host, std::uint64_t offset, std::uint64_t position, std::uint64_t length)
      {
        Require(offset + length <= this->Segments[host].size(), "a run is within its segment");
        visit(this->Segments[host].data() + offset, position, length);
      });
  }

  AddressMap Map;
  std::vector<std::vector<std::byte>> Segments;
};

// The file through the driver, and what should be in it.
struct Pair
{
  explicit Pair(const AddressMap& map)
    : Flat(map.Capacity())
  {
    this->Open.File = std::make_unique<MappedFile>(map);
  }

  H5FD_t* Driver() { return &this->Open.Public; }
  bool Fits(std::uint64_t address, std::uint64_t size) const
  {
    return address <= this->Flat.size() && size <= this->Flat.size() - address;
  }

  OpenMemoryFile Open;
  std::vector<std::byte> Flat;
};

void Fill(std::vector<std::byte>& bytes, std::uint64_t seed)
{
  for (std::byte& one : bytes)
  {
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    one = static_cast<std::byte>(seed >> 56);
  }
}

void RequireEqual(Pair& pair)
{
  std::vector<std::byte> all(pair.Flat.size());
  Require(
    DriverClass().read(pair.Driver(), H5FD_MEM_DRAW, H5P_DEFAULT, 0, all.size(), all.data()) == 0,
    "the whole file is read");
  Require(all == pair.Flat, "the file holds what was written");
}

/// \name Vectors
/// H5FDwrite_vector: "if sizes[i] is zero, the remaining sizes are those of the one before".
///@{
std::vector<std::uint64_t> EffectiveSizes(const std::vector<std::size_t>& given)
{
  std::vector<std::uint64_t> sizes(given.begin(), given.end());
  const auto end = std::find(given.begin() + 1, given.end(), 0u);
  for (auto i = end - given.begin(); i < static_cast<std::ptrdiff_t>(sizes.size()); ++i)
  {
    sizes[i] = sizes[i - 1];
  }
  return sizes;
}

void TransferVector(Pair& pair, Numbers& numbers)
{
  const auto count = static_cast<std::uint32_t>(numbers.Within(1, MostPieces));
  std::vector<haddr_t> addresses(count);
  std::vector<std::size_t> given(count);
  for (std::uint32_t i = 0; i < count; ++i)
  {
    // Some lie beyond the file's end.
    addresses[i] = numbers.Within(0, pair.Flat.size() + pair.Flat.size() / 16);
    given[i] = numbers.OfBytes(1) % LargestPiece;
  }
  const auto sizes = EffectiveSizes(given);
  std::vector<std::vector<std::byte>> contents(count);
  std::vector<const void*> sources(count);
  bool fits = true;
  for (std::uint32_t i = 0; i < count; ++i)
  {
    contents[i].resize(sizes[i]);
    Fill(contents[i], numbers.OfBytes(1) + i);
    sources[i] = contents[i].data();
    // Pieces before the first that does not fit are written.
    fits = fits && (sizes[i] == 0 || pair.Fits(addresses[i], sizes[i]));
    if (fits && sizes[i] > 0)
    {
      std::copy(contents[i].begin(), contents[i].end(),
        pair.Flat.begin() + static_cast<std::ptrdiff_t>(addresses[i]));
    }
  }
  std::vector<H5FD_mem_t> types(count, H5FD_MEM_DRAW);
  const bool written = DriverClass().write_vector(pair.Driver(), H5P_DEFAULT, count, types.data(),
                         addresses.data(), given.data(), sources.data()) == 0;
  Require(written == fits, "a vector is written if it fits");
  std::vector<void*> destinations(count);
  for (std::uint32_t i = 0; i < count; ++i)
  {
    contents[i].assign(sizes[i], std::byte{ 0 });
    destinations[i] = contents[i].data();
  }
  const bool read = DriverClass().read_vector(pair.Driver(), H5P_DEFAULT, count, types.data(),
                      addresses.data(), given.data(), destinations.data()) == 0;
  Require(read == fits, "a vector is read if it fits");
  for (std::uint32_t i = 0; fits && i < count; ++i)
  {
    Require(sizes[i] == 0 ||
        std::equal(contents[i].begin(), contents[i].end(),
          pair.Flat.begin() + static_cast<std::ptrdiff_t>(addresses[i])),
      "a piece reads as the file is there");
  }
}
///@}

/// \name Selections
///@{
// A dataspace with a selection, and which of its elements that is.
struct Selected
{
  hid_t Space = H5I_INVALID_HID;
  std::vector<bool> Chosen;

  Selected() = default;
  Selected(const Selected&) = delete;
  Selected& operator=(const Selected&) = delete;
  ~Selected() { H5Sclose(this->Space); }

  std::vector<std::size_t> Elements() const
  {
    std::vector<std::size_t> elements;
    for (std::size_t i = 0; i < this->Chosen.size(); ++i)
    {
      if (this->Chosen[i])
      {
        elements.push_back(i);
      }
    }
    return elements;
  }
};

// Blocks at equal distances, which begin at row `first` or behind it; in which row they end.
hsize_t SelectBlocks(Selected& selected, Numbers& numbers, int rank,
  const std::array<hsize_t, 3>& extent, hsize_t first)
{
  std::array<hsize_t, 3> start{ 0, 0, 0 }, stride{ 1, 1, 1 }, count{ 1, 1, 1 }, block{ 1, 1, 1 };
  std::array<std::vector<bool>, 3> inside;
  for (int d = 0; d < 3; ++d)
  {
    if (d < rank)
    {
      const hsize_t least = d == 0 ? first : 0;
      start[d] = least + numbers.OfBytes(1) % (extent[d] - least);
      block[d] = 1 + numbers.OfBytes(1) % (extent[d] - start[d]);
      stride[d] = block[d] + numbers.OfBytes(1) % 3;
      count[d] = 1 + numbers.OfBytes(1) % ((extent[d] - start[d] - block[d]) / stride[d] + 1);
    }
    inside[d].assign(extent[d], false);
    for (hsize_t k = 0; k < count[d] * block[d]; ++k)
    {
      inside[d][start[d] + k / block[d] * stride[d] + k % block[d]] = true;
    }
  }
  Require(H5Sselect_hyperslab(selected.Space, first == 0 ? H5S_SELECT_SET : H5S_SELECT_OR,
            start.data(), stride.data(), count.data(), block.data()) >= 0,
    "HDF5 selects");
  for (std::size_t i = 0; i < selected.Chosen.size(); ++i)
  {
    if (inside[0][i / extent[2] / extent[1]] && inside[1][i / extent[2] % extent[1]] &&
      inside[2][i % extent[2]])
    {
      selected.Chosen[i] = true;
    }
  }
  return start[0] + (count[0] - 1) * stride[0] + block[0];
}

// A dataspace of one to three dimensions, all of it selected or some blocks, and others behind
// them. They do not overlap: HDF5 1.14.5 does not select the union of those that do, whatever the
// driver.
void Select(Selected& selected, Numbers& numbers)
{
  const auto rank = static_cast<int>(numbers.OfBytes(1) % 3 + 1);
  std::array<hsize_t, 3> extent{ 1, 1, 1 };
  for (int d = 0; d < rank; ++d)
  {
    extent[d] = 1 + numbers.OfBytes(1) % 9;
  }
  selected.Space = H5Screate_simple(rank, extent.data(), nullptr);
  const std::uint64_t kind = numbers.OfBytes(1) % 3;
  selected.Chosen.assign(extent[0] * extent[1] * extent[2], kind == 0);
  if (kind == 0)
  {
    return;
  }
  const hsize_t end = SelectBlocks(selected, numbers, rank, extent, 0);
  if (kind == 2 && end < extent[0])
  {
    SelectBlocks(selected, numbers, rank, extent, end);
  }
}

// Memory's elements follow the file's choice, or have one of their own with perhaps another number.
void SelectLike(const Selected& file, Selected& memory, Numbers& numbers)
{
  if (numbers.OfBytes(1) % 4 == 0)
  {
    Select(memory, numbers);
    return;
  }
  const hsize_t elements = file.Elements().size();
  const hsize_t before = numbers.OfBytes(1) % 4;
  const hsize_t stride = 1 + numbers.OfBytes(1) % 3;
  const hsize_t extent = before + elements * stride + numbers.OfBytes(1) % 4;
  memory.Space = H5Screate_simple(1, &extent, nullptr);
  memory.Chosen.assign(extent, false);
  H5Sselect_hyperslab(memory.Space, H5S_SELECT_SET, &before, &stride, &elements, nullptr);
  for (hsize_t i = 0; i < elements; ++i)
  {
    memory.Chosen[before + i * stride] = true;
  }
}

void TransferSelections(Pair& pair, Numbers& numbers)
{
  constexpr std::size_t most = 3;
  const std::size_t count = 1 + numbers.OfBytes(1) % most;
  std::array<Selected, most> files, memories;
  std::array<hid_t, most> fileSpaces{}, memorySpaces{};
  std::array<haddr_t, most> offsets{};
  std::array<std::size_t, most> given{};
  std::array<std::size_t, most> sizes{};
  std::array<std::vector<std::byte>, most> contents;
  std::array<const void*, most> sources{};
  std::array<void*, most> destinations{};
  bool fits = true;
  for (std::size_t i = 0; i < count; ++i)
  {
    Select(files[i], numbers);
    SelectLike(files[i], memories[i], numbers);
    fileSpaces[i] = files[i].Space;
    memorySpaces[i] = memories[i].Space;
    // 0 from some place on: as before.
    given[i] = i > 0 && (given[i - 1] == 0 || numbers.OfBytes(1) % 3 == 0)
      ? 0
      : std::size_t{ 1 } << numbers.OfBytes(1) % 4;
    sizes[i] = given[i] > 0 ? given[i] : sizes[i - 1];
    offsets[i] = numbers.Within(0, pair.Flat.size());
    // A null buffer would mean the one before.
    contents[i].resize(std::max<std::size_t>(memories[i].Chosen.size() * sizes[i], 1));
    Fill(contents[i], numbers.OfBytes(1) + i);
    sources[i] = contents[i].data();
  }
  for (std::size_t i = 0; fits && i < count; ++i)
  {
    const auto inFile = files[i].Elements();
    const auto inMemory = memories[i].Elements();
    for (std::size_t k = 0; fits && k < std::min(inFile.size(), inMemory.size()); ++k)
    {
      const std::uint64_t address = offsets[i] + inFile[k] * sizes[i];
      fits = pair.Fits(address, sizes[i]);
    }
    fits = fits && inFile.size() == inMemory.size();
  }
  const auto apply = [&](const auto& move)
  {
    for (std::size_t i = 0; i < count; ++i)
    {
      const auto inFile = files[i].Elements();
      const auto inMemory = memories[i].Elements();
      for (std::size_t k = 0; k < inFile.size(); ++k)
      {
        move(i, offsets[i] + inFile[k] * sizes[i], inMemory[k] * sizes[i]);
      }
    }
  };
  const bool written =
    DriverClass().write_selection(pair.Driver(), H5FD_MEM_DRAW, H5P_DEFAULT, count,
      memorySpaces.data(), fileSpaces.data(), offsets.data(), given.data(), sources.data()) == 0;
  Require(written == fits, "selections are written if they fit");
  if (!fits)
  {
    // Runs before the one that does not fit are written, and how long runs are is HDF5's choice.
    Require(DriverClass().read(pair.Driver(), H5FD_MEM_DRAW, H5P_DEFAULT, 0, pair.Flat.size(),
              pair.Flat.data()) == 0,
      "the whole file is read");
    return;
  }
  apply([&](std::size_t i, std::uint64_t address, std::size_t place)
    { std::memcpy(&pair.Flat[address], &contents[i][place], sizes[i]); });
  for (std::size_t i = 0; i < count; ++i)
  {
    contents[i].assign(contents[i].size(), std::byte{ 0 });
    destinations[i] = contents[i].data();
  }
  Require(DriverClass().read_selection(pair.Driver(), H5FD_MEM_DRAW, H5P_DEFAULT, count,
            memorySpaces.data(), fileSpaces.data(), offsets.data(), given.data(),
            destinations.data()) == 0,
    "selections that were written are read");
  apply(
    [&](std::size_t i, std::uint64_t address, std::size_t place)
    {
      Require(std::memcmp(&pair.Flat[address], &contents[i][place], sizes[i]) == 0,
        "an element reads as the file is there");
    });
}
///@}

MapParameters ParametersFrom(Numbers& numbers)
{
  MapParameters parameters;
  parameters.Strategy = Strategies()[numbers.OfBytes(1) % Strategies().size()].Name;
  parameters.Hosts = 1 + numbers.OfBytes(1) % MostHosts;
  parameters.HostCapacity = numbers.Within(1, LargestHost);
  parameters.BlockSize = numbers.Within(1, parameters.HostCapacity);
  parameters.BlocksPerCycle =
    numbers.OfBytes(1) % (parameters.Hosts * (parameters.HostCapacity / parameters.BlockSize) + 1);
  parameters.Seed = numbers.OfBytes(1);
  return parameters;
}

}

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
  static const bool ready = []
  {
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    errorstack::Prepare();
    return true;
  }();
  Numbers numbers(data, size);
  AddressMap map;
  if (!ready || !fuzz::Accepted([&] { map = AddressMap(ParametersFrom(numbers)); }))
  {
    return 0;
  }
  Pair pair(map);
  for (int i = 0; i < MostTransfers && !numbers.AtEnd(); ++i)
  {
    if (numbers.OfBytes(1) % 2 == 0)
    {
      TransferVector(pair, numbers);
    }
    else
    {
      TransferSelections(pair, numbers);
    }
    H5Eclear2(H5E_DEFAULT);
  }
  RequireEqual(pair);
  return 0;
}
