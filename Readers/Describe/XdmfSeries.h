// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/NamedData.h"
#include "Describe/XdmfNames.h"
#include "Describe/XmlTree.h"

#include <vector>

namespace dsm::describe
{

/// A temporal collection: its steps that belong to the file that is shown, by their times.
class XdmfSeries
{
public:
  struct Step
  {
    double Time = 0;
    const XmlElement* Grid = nullptr;
  };

  XdmfSeries(const XmlElement& collection, XdmfNames& names, const NamedData& data);

  const std::vector<Step>& Steps() const { return this->Found; }

  /// The newest step that is not after a time; null if all are.
  const XmlElement* At(double time) const;

  /// Returns an array's name in a step without the step's time, which some codes write into it: "u"
  /// for "u/1.0" and "u/2.0". Other names stay, such as those that other steps have as well.
  std::string SteadyName(const std::string& name, const XmlElement& step) const;

  /// How many steps at the end are described already, and not yet in the file.
  std::size_t Later() const { return this->Ahead; }

  /// Whether the text says the times; if not they are numbers.
  bool SaysTimes() const { return this->Timed; }

private:
  std::vector<double> TimesOf(
    const XmlElement& collection, std::size_t count, const XdmfNames& names, const NamedData& data);

  std::vector<Step> Found;
  std::size_t Ahead = 0;
  bool Timed = true;
};

/// The time of a grid, or the first that is said below it.
std::optional<double> XdmfTimeOf(const XmlElement& grid);

/// Whether a grid is a collection of that kind ("temporal", "spatial").
bool IsXdmfCollection(const XmlElement& grid, const std::string& kind);

}
