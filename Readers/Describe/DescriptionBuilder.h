// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Error.h"
#include "Describe/Hdf5Contents.h"
#include "Describe/Recogniser.h"

#include <fmt/format.h>

#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace dsm::describe
{

/// Builds the description of one file. Keeps what all recognisers have to: which datasets are
/// shown, why others are not, what was guessed, and which step is described.
class DescriptionBuilder
{
public:
  /// `asked` must outlive the builder.
  explicit DescriptionBuilder(const Asked& asked);

  /// Sets which format the file has, and how the recogniser knows.
  void SetFormat(std::string format, std::string rule);

  /// Chooses the step that is asked for, or else the last. Returns its index; 0 if there is none.
  std::size_t ChooseStep(std::size_t count);

  /// The index of the chosen step.
  std::size_t Step() const;

  /// Sets the time that the file has as a whole. If a dataset says it, this one is used.
  void SetTimeOfFile();

  /// Sets the time of the step that is described.
  void SetTime(std::optional<double> time);
  void SetTimeUnits(std::string units);
  const std::optional<double>& Time() const;

  /// Lists the times of all steps, if they ascend. Returns whether they do.
  bool ListTimes(std::vector<double> times);

  /// Likewise, and sets the time to that of the chosen step.
  bool SetTimes(std::vector<double> times);

  /// Whether the times of the steps are listed.
  bool HasTimes() const;

  void AddPart(Part part);
  std::vector<Part>& Parts();
  const std::vector<Part>& Parts() const;

  /// Records that a dataset is shown, or says how others are.
  void Use(const std::string& path);
  bool IsUsed(const std::string& path) const;

  /// Records that something is left out. Returns false, for callers that return whether it is
  /// shown.
  bool LeaveOut(std::string path, std::string why);

  /// Records why a dataset is left out, unless it is used later.
  void Explain(const std::string& path, std::string why);

  /// Leaves out the datasets that are neither used nor left out yet, each because it cannot be
  /// read, or for the reason that was recorded, or that `why` returns. If that is empty, the
  /// dataset is not mentioned.
  void LeaveOutOthers(const std::vector<hdf5::Object>& objects,
    const std::function<std::string(const hdf5::Object&)>& why);

  /// Records, once, what the file does not say.
  void Guess(std::string text);

  /// Records, once, what users can set otherwise. The first alternatives for a text remain.
  void Assume(Setting setting, std::string text, std::vector<Alternative> alternatives = {});

  /// Records what users have set.
  void SetBy(Setting setting, std::string text);

  /// Returns why there is nothing to show, to end an error message: ": /zone: it has no points".
  std::string WhyNothing(const std::string& otherwise = {}) const;

  /// Throws if there is no part: the file's name, `what` is wrong with it, and why (WhyNothing).
  void RequireParts(const std::string& what, const std::string& otherwise = {},
    Fault fault = Fault::Unsupported) const;

  /// Throws that the file is of the format, and why it cannot be shown.
  template <typename... Args>
  [[noreturn]] void Refuse(fmt::format_string<Args...> text, Args&&... args) const;

  /// Returns the description. The builder is empty then.
  Description Finish();

private:
  const Asked& Input;
  Description Result;
  std::set<std::string> Used;                 ///< paths
  std::map<std::string, std::string> Reasons; ///< by path
};

/// Whether a part has an array of this name, on points or cells if that is given.
bool HasArray(const Part& part, const std::string& name, std::optional<Centring> on = std::nullopt);

/// Adds an array for each name, or for several that are the components of a vector (JoinVectors).
/// Returns the names of arrays that the part has already, which are not added.
std::vector<std::string> AddJoined(
  Part& part, Centring on, const std::vector<std::pair<std::string, Source>>& named);

template <typename... Args>
void DescriptionBuilder::Refuse(fmt::format_string<Args...> text, Args&&... args) const
{
  throw Error(Fault::Refused, "{} is a file of {}, and cannot be shown: {}", this->Input.Name,
    this->Result.Format, fmt::format(text, std::forward<Args>(args)...));
}

}
