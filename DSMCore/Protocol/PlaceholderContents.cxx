// SPDX-License-Identifier: BSD-3-Clause
#include "Protocol/PlaceholderContents.h"

#include "Base/Error.h"
#include "Base/FileIdentity.h"
#include "Base/Hdf5Signature.h"
#include "Encoding/Encoding.h"

#include <algorithm>
#include <array>

#include <unistd.h>

namespace dsm
{

namespace
{
constexpr std::string_view AddressMark = "paraview-dsm-placeholder ";
constexpr std::string_view TextMark = "This is a placeholder of ParaView DSM. ";

constexpr std::array States{ PlaceholderState::InMemory, PlaceholderState::Dropped,
  PlaceholderState::ServerEnded, PlaceholderState::Unfinished };

// From a mark to the zero behind it; none where there is no such mark.
std::optional<std::string_view> TextBehind(std::string_view mark, std::string_view bytes)
{
  const std::size_t place = bytes.find(mark);
  if (place == std::string_view::npos)
  {
    return std::nullopt;
  }
  const std::string_view rest = bytes.substr(place);
  return rest.substr(0, rest.find('\0'));
}

std::string Sentence(PlaceholderState state)
{
  return std::string(TextMark) +
    (state == PlaceholderState::InMemory
        ? std::string("The contents of this file are in memory that ParaView lends. Open it in "
                      "ParaView, or with a program behind dsm-run, while that server runs; it can "
                      "be renamed and removed like any file.")
        : fmt::format("This file {}.", PlaceholderEnd(state)));
}
}

void Describe(Fields& fields, PlaceholderAddress& address)
{
  fields("Contact", address.Contact);
  fields("Server", address.Server);
  fields("Snapshot", address.Number);
  fields("Image", address.Image);
  fields("Before", address.Before);
  fields("Live", address.Live);
  fields("Place", address.Place);
}

bool PlaceholderContents::IsOfSameState(const PlaceholderContents& other) const
{
  return this->Identity == other.Identity && this->Address.IsThatOf(other.Address) &&
    this->Address.Image == other.Address.Image && this->Address.Before == other.Address.Before;
}

const char* PlaceholderEnd(PlaceholderState state)
{
  switch (state)
  {
    case PlaceholderState::InMemory:
      return "is in memory that ParaView lends";
    case PlaceholderState::Dropped:
      return "has left the memory that ParaView lends, to make room, and is lost unless it was "
             "saved "
             "elsewhere: keep more snapshots (more memory per host), or save them (dsm-serve "
             "--save)";
    case PlaceholderState::ServerEnded:
      return "was only in memory that ParaView lent, and the server that had it has ended: it is "
             "lost "
             "unless it was saved elsewhere (dsm-serve --save)";
    case PlaceholderState::Unfinished:
      return "was only in memory, and the program that wrote it ended before it had closed it";
  }
  return "";
}

std::string PlaceholderContents::Text(PlaceholderState state)
{
  std::string text = Sentence(state);
  text.resize(TextRoom, '\0');
  return text;
}

std::string PlaceholderContents::AddressText(const PlaceholderAddress& address)
{
  std::string text = std::string(AddressMark) + ToText(address);
  if (text.size() >= AddressRoom)
  {
    throw Error(
      Fault::Refused, "the address of a file in memory, {}, is too long", address.Contact);
  }
  text.resize(AddressRoom, '\0');
  return text;
}

std::optional<PlaceholderContents> PlaceholderContents::Parse(
  std::string_view bytes, const std::string& path)
{
  const auto address =
    bytes.starts_with(Hdf5Signature) ? TextBehind(AddressMark, bytes) : std::nullopt;
  if (!address)
  {
    return std::nullopt;
  }
  PlaceholderContents contents;
  contents.Address = FromText<PlaceholderAddress>(
    std::string(address->substr(AddressMark.size())), "the placeholder " + path);
  const auto text = TextBehind(TextMark, bytes);
  const auto state = std::find_if(
    States.begin(), States.end(), [&](PlaceholderState known) { return text == Sentence(known); });
  if (!text || state == States.end())
  {
    throw Error(Fault::Refused, "the placeholder {} is of another version of ParaView DSM", path);
  }
  contents.State = *state;
  contents.AddressBegin = static_cast<std::size_t>(address->data() - bytes.data());
  contents.TextBegin = static_cast<std::size_t>(text->data() - bytes.data());
  return contents;
}

std::optional<PlaceholderContents> PlaceholderContents::Read(int file, const std::string& path)
{
  const auto mark = FileMark::Of(file);
  return mark ? Read(file, *mark, path) : std::nullopt;
}

std::optional<PlaceholderContents> PlaceholderContents::Read(
  int file, const FileMark& mark, const std::string& path)
{
  if (mark.Size < TextRoom + AddressRoom)
  {
    return std::nullopt; // both texts have their room in each placeholder
  }
  std::array<char, LongestFile> bytes; // NOLINT(cppcoreguidelines-pro-type-member-init)
  const ssize_t got = pread(file, bytes.data(), bytes.size(), 0);
  auto contents = Parse({ bytes.data(), got > 0 ? static_cast<std::size_t>(got) : 0 }, path);
  if (contents)
  {
    contents->Identity = FileIdentity(file, path);
  }
  return contents;
}

}
