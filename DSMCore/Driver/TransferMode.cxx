// SPDX-License-Identifier: BSD-3-Clause
#include "Driver/TransferMode.h"

#include "Base/Environment.h"
#include "Base/Error.h"

#include <algorithm>
#include <array>
#include <utility>

namespace dsm
{

namespace
{
constexpr const char* Variable = "DSM_TRANSFER";

constexpr std::array<std::pair<TransferMode, const char*>, 4> Names{ {
  { TransferMode::Automatic, "auto" },
  { TransferMode::Independent, "independent" },
  { TransferMode::Datatype, "datatype" },
  { TransferMode::Collective, "collective" },
} };

// Larger pieces are worth an operation of their own, on any network.
constexpr std::uint64_t SmallPiece = 16384;
// Up to this size of a piece an exchange between ranks costs less than the operations it saves.
constexpr std::uint64_t WorthExchanging = 4096;
// So many at least, over all ranks: the exchange itself takes some messages.
constexpr std::uint64_t ManyPieces = 64;

bool IsMean(const FirstPieces& pieces, std::uint64_t most)
{
  return pieces.Bytes <= pieces.Count * most;
}
}

const char* TransferModeText(TransferMode mode)
{
  for (const auto& [value, name] : Names)
  {
    if (value == mode)
    {
      return name;
    }
  }
  return "";
}

TransferMode TransferModeFromText(const std::string& text, const std::string& what)
{
  for (const auto& [value, name] : Names)
  {
    if (text == name)
    {
      return value;
    }
  }
  throw Error(Fault::Usage,
    "{} is \"{}\": for pieces that do not follow one another in the file give \"auto\", "
    "\"independent\" (each by itself), \"datatype\" (a rank's for one host together) or "
    "\"collective\" (ranks exchange them first)",
    what, text);
}

TransferMode TransferModeFromEnvironment()
{
  const auto text = environment::Text(Variable);
  return text ? TransferModeFromText(*text, Variable) : TransferMode::Automatic;
}

void FirstPieces::Add(FileOffset address, std::uint64_t size)
{
  ++this->Count;
  this->Bytes += size;
  this->Begin = std::min<std::uint64_t>(this->Begin, address);
  this->End = std::max<std::uint64_t>(this->End, address + size);
}

TransferMode ChooseAlone(const FirstPieces& first, bool mapped)
{
  return !mapped && first.Count > 1 && IsMean(first, SmallPiece) ? TransferMode::Datatype
                                                                 : TransferMode::Independent;
}

TransferMode ChooseTogether(const AllFirstPieces& all)
{
  const FirstPieces& pieces = all.Together;
  // Spans of ranks that lie side by side, or have a margin in common, cover no more than the whole.
  const bool interleaved = pieces.Count > 0 && all.Spans / 5 * 4 > pieces.End - pieces.Begin;
  return interleaved && pieces.Count >= ManyPieces && IsMean(pieces, WorthExchanging)
    ? TransferMode::Collective
    : ChooseAlone(pieces, false);
}

}
