// SPDX-License-Identifier: BSD-3-Clause
#include "Base/Error.h"
#include "Base/FileName.h"
#include "Describe/AnyFile.h"
#include "Describe/Hdf5Facts.h"
#include "Describe/Hdf5File.h"
#include "Described/FilledPart.h"
#include "Encoding/Encoding.h"

#pragma GCC visibility push(default)
#include "Described/dsm_described.h"
#pragma GCC visibility pop

#include <algorithm>
#include <array>
#include <exception>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace
{
using dsm::Fields;
using dsm::describe::Description;
using dsm::describe::FilledPart;
using dsm::describe::NumberBuffer;

thread_local std::string lastError; // NOLINT(cert-err58-cpp): the empty string does not throw

// Returns what `work` does; nothing, and keeps why, if that fails.
template <typename Work>
auto Guarded(const Work& work) noexcept -> decltype(work())
{
  try
  {
    lastError.clear();
    return work();
  }
  catch (...)
  {
    lastError = dsm::Error::From(std::current_exception()).what();
    return nullptr;
  }
}

std::string TextOf(Description& what)
{
  return dsm::TextOfFields(
    [&](Fields& fields)
    {
      fields("format", what.Format);
      fields("rule", what.Rule);
      fields("empty", what.Empty);
      fields("time", what.Time);
      fields("time_units", what.TimeUnits);
      fields("times", what.Times);
      fields("guessed", what.Guessed);
      fields.List("left", what.Left,
        [&](dsm::describe::LeftOut& left)
        {
          fields.Record(nullptr,
            [&]
            {
              fields("path", left.Path);
              fields("why", left.Why);
            });
        });
      fields.List("parts", what.Parts,
        [&](dsm::describe::Part& part)
        {
          fields.Record(nullptr,
            [&]
            {
              std::uint64_t units = dsm::describe::LoadOf(part).Units;
              std::string kind = dsm::describe::KindOf(part.On);
              fields("name", part.Name);
              fields("kind", kind);
              fields("units", units);
            });
        });
    },
    -1);
}

const char* NumPyType(dsm::describe::Number number)
{
  constexpr std::array names = { "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8" };
  return names.at(static_cast<std::size_t>(number));
}
}

struct dsm_described
{
public:
  dsm_described(const std::string& name, const std::string& writtenAs, long step)
    : File(dsm::hdf5::OpenFile(name))
    , Reader(this->File)
  {
    const dsm::describe::Hdf5Facts facts(this->File);
    const dsm::describe::Asked asked{ facts, dsm::AbsoluteName(writtenAs),
      step < 0 ? std::nullopt : std::optional(static_cast<std::size_t>(step)) };
    this->What = dsm::describe::DescribeAnyFile(this->File, asked);
    this->Text = TextOf(this->What);
  }

  const std::string& GetText() const { return this->Text; }

  std::vector<FilledPart> Fill(std::size_t part, std::uint64_t piece, std::uint64_t pieces)
  {
    std::vector<dsm::describe::Load> loads;
    std::transform(this->What.Parts.begin(), this->What.Parts.end(), std::back_inserter(loads),
      dsm::describe::LoadOf);
    const auto share = dsm::describe::ShareOf(loads, piece, pieces);
    return dsm::describe::Fill(this->Reader, this->What.Parts.at(part), share.at(part));
  }

private:
  const dsm::hdf5::FileHandle File;
  dsm::describe::SourceReader Reader;
  Description What;
  std::string Text;
};

struct dsm_filled
{
public:
  explicit dsm_filled(std::vector<FilledPart> sets)
    : Sets(std::move(sets))
  {
    this->Text = dsm::TextOfFields(
      [this](Fields& fields)
      {
        fields.List("sets", this->Sets,
          [&](FilledPart& set) { fields.Record(nullptr, [&] { this->Describe(fields, set); }); });
        fields.List("buffers", this->Buffers,
          [&](Buffer& buffer)
          {
            fields.Record(nullptr,
              [&]
              {
                fields("type", buffer.Type);
                fields("components", buffer.Components);
                fields("tuples", buffer.Tuples);
              });
          });
      },
      -1);
  }

  const std::string& GetText() const { return this->Text; }
  const void* At(std::size_t buffer) const { return this->Buffers.at(buffer).Values; }

private:
  struct Buffer
  {
    std::string Type;
    std::uint64_t Components;
    std::uint64_t Tuples;
    const void* Values;
  };

  std::uint64_t Add(const NumberBuffer& numbers)
  {
    this->Buffers.push_back(
      { NumPyType(numbers.Type), numbers.Components, numbers.Tuples, numbers.Values.get() });
    return this->Buffers.size() - 1;
  }

  template <typename Value>
  void Add(Fields& fields, const char* name, const char* type, const std::vector<Value>& values)
  {
    if (!values.empty())
    {
      std::uint64_t place = this->Buffers.size();
      this->Buffers.push_back({ type, 1, values.size(), values.data() });
      fields(name, place);
    }
  }

  void Describe(Fields& fields, FilledPart& set)
  {
    const auto numbers = [&fields](const char* name, const auto& values)
    {
      std::vector<double> list(values.begin(), values.end());
      fields(name, list);
    };
    fields("kind", set.Kind);
    numbers("extent", set.Points);
    numbers("origin", set.Origin);
    numbers("spacing", set.Spacing);
    std::vector<std::uint64_t> places;
    places.reserve(set.Coordinates.size());
    for (const NumberBuffer& coordinates : set.Coordinates)
    {
      places.push_back(this->Add(coordinates));
    }
    fields("coordinates", places);
    this->Add(fields, "connectivity", "i8", set.Connectivity);
    this->Add(fields, "offsets", "i8", set.Offsets);
    this->Add(fields, "types", "u1", set.Types);
    this->Add(fields, "covered", "u1", set.Covered);
    fields("level", set.Level);
    fields.List("arrays", set.Arrays,
      [&](dsm::describe::FilledArray& array)
      {
        fields.Record(nullptr,
          [&]
          {
            constexpr std::array centrings = { "point", "cell", "field" };
            std::string on = centrings.at(static_cast<std::size_t>(array.On));
            std::uint64_t place = this->Add(array.Values);
            fields("name", array.Name);
            fields("on", on);
            fields("components", array.ComponentNames);
            fields("buffer", place);
          });
      });
  }

  std::vector<FilledPart> Sets;
  std::vector<Buffer> Buffers;
  std::string Text;
};

extern "C"
{
  dsm_described* dsm_described_open(const char* name, const char* written_as, long step)
  {
    return Guarded([&] { return new dsm_described(name, written_as ? written_as : name, step); });
  }

  void dsm_described_close(dsm_described* described)
  {
    delete described;
  }

  const char* dsm_described_error(void)
  {
    return lastError.c_str();
  }

  const char* dsm_described_text(const dsm_described* described)
  {
    return described->GetText().c_str();
  }

  dsm_filled* dsm_described_fill(
    dsm_described* described, unsigned long part, unsigned long piece, unsigned long pieces)
  {
    return Guarded([&] { return new dsm_filled(described->Fill(part, piece, pieces)); });
  }

  void dsm_filled_free(dsm_filled* filled)
  {
    delete filled;
  }

  const char* dsm_filled_text(const dsm_filled* filled)
  {
    return filled->GetText().c_str();
  }

  const void* dsm_filled_buffer(const dsm_filled* filled, unsigned long buffer)
  {
    return Guarded([&] { return filled->At(buffer); });
  }
}
