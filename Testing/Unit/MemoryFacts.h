// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/FileFacts.h"
#include "Describe/Recogniser.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

/// A file that exists as facts only, for tests of recognisers.
class MemoryFacts final : public dsm::describe::FileFacts
{
public:
  /// The value of an attribute.
  struct Attribute
  {
    Attribute(double number);
    Attribute(std::vector<double> numbers);
    Attribute(const char* text);
    Attribute(std::vector<std::string> texts);

    /// One value of a compound type, or one list of references for each dimension.
    static Attribute Compound(std::vector<double> members);
    static Attribute References(std::vector<std::vector<std::string>> lists);

    std::vector<double> Numbers = {};
    std::vector<std::string> Texts = {};
    std::vector<double> Members = {};
    std::vector<std::vector<std::string>> Lists = {};
  };

  /// A group or dataset. The functions change it and return it.
  struct Entry
  {
    dsm::hdf5::Object Object;
    std::map<std::string, Attribute> Attributes = {};
    std::map<std::string, std::vector<double>> Values = {}; ///< by member; "": of the dataset
    std::vector<std::string> Rows = {};
    std::map<std::string, double> Beside = {}; ///< numbers by names
    std::string Contents = {};

    Entry& With(const std::string& name, const Attribute& value);
    Entry& Holding(std::vector<double> values, const std::string& member = {});
    Entry& OfType(const std::string& type);             ///< no numbers: "text", "reference"
    Entry& OfMembers(std::vector<std::string> members); ///< a compound of numbers
    Entry& WithArray(const std::string& member, std::vector<hsize_t> shape);
    Entry& Unreadable(const std::string& why);
    Entry& Growing(std::size_t dimension); ///< which is unlimited
  };

  /// Adds a group or a dataset of float64, and the groups above it.
  Entry& Group(const std::string& path);
  Entry& Data(const std::string& path, const std::vector<hsize_t>& shape);

  /// Adds a dataset of letters with a text in each row, of names and numbers, or of one text.
  Entry& Rows(const std::string& path, std::vector<std::string> rows);
  Entry& Named(const std::string& path, std::map<std::string, double> numbers);
  Entry& Contents(const std::string& path, const std::string& text);

  const std::vector<dsm::hdf5::Object>& Objects() const override;
  std::optional<dsm::hdf5::Object> ObjectAt(const std::string& path) const override;
  dsm::hdf5::Thing WhatIs(const std::string& path) const override;
  std::vector<std::string> MembersOf(const std::string& group, std::size_t most) const override;
  bool HasAttributes(const std::string& object) const override;
  bool Has(const std::string& object, const std::string& attribute) const override;
  std::vector<double> Numbers(
    const std::string& object, const std::string& attribute, std::size_t most) const override;
  std::vector<std::string> Texts(
    const std::string& object, const std::string& attribute, std::size_t most) const override;
  std::vector<double> CompoundNumbers(
    const std::string& object, const std::string& attribute) const override;
  std::vector<std::vector<std::string>> References(
    const std::string& object, const std::string& attribute) const override;

  /// Throws where the test gave no values, so that a recogniser that reads too much fails.
  std::vector<double> Values(const dsm::describe::Source& source) const override;
  std::vector<std::string> TextRows(const std::string& dataset) const override;
  std::optional<double> NumberBeside(
    const std::string& dataset, const std::string& name) const override;
  std::optional<std::string> TextNamed(const std::string& name) const override;

private:
  const Entry* Find(const std::string& path) const;
  const Attribute* Find(const std::string& object, const std::string& attribute) const;

  std::map<std::string, Entry> Entries;
  mutable std::vector<dsm::hdf5::Object> Listed;
};

/// A row of a recogniser's table: what a file has, and what the recogniser says of it.
struct RecogniserCase
{
  const char* Name;
  void (*Fill)(MemoryFacts&);
  /// The description as text (DescriptionText.h), "error: …", or "not recognised".
  const char* Expected;
  std::optional<std::size_t> Step = std::nullopt;
  const char* File = "/runs/out.h5";
};

/// Checks each row.
void CheckRecogniser(
  const std::function<std::optional<dsm::describe::Description>(const dsm::describe::Asked&)>&
    recognise,
  const std::vector<RecogniserCase>& table);
