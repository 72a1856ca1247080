// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/RecipeInterpreter.h"

#include "Describe/DescriptionBuilder.h"
#include "Describe/NothingYet.h"
#include "Describe/RecipeArrays.h"
#include "Describe/RecipeDatasets.h"
#include "Describe/RecipeGeometry.h"
#include "Describe/RecipeSteps.h"
#include "Describe/RecipeTimes.h"
#include "Describe/RecipeValues.h"
#include "Describe/Text.h"

#include <fmt/format.h>

namespace dsm::describe
{

namespace
{
class RecipeInterpreter
{
public:
  RecipeInterpreter(const Recipe& recipe, const Asked& asked);
  Description Describe();

private:
  // Returns the objects without those of steps that are not shown, if steps are groups.
  std::vector<hdf5::Object> ChooseStep();

  // Adds the parts that the recipe describes, or one of the others in it.
  void AddParts(const Recipe& rules);
  void AddPart(const Recipe& rules, const PartGroup& group);

  const Recipe& Whole;
  const Asked& Input;
  RecipeValues Values;
  DescriptionBuilder Result;
  RecipeTimes Times;
  Bindings Chosen; ///< the words of the group that is the step
  RecipeDatasets Datasets;
  std::vector<PartGroup> Groups; ///< of the parts
};

RecipeInterpreter::RecipeInterpreter(const Recipe& recipe, const Asked& asked)
  : Whole(recipe)
  , Input(asked)
  , Values(asked.File)
  , Result(asked)
  , Times(recipe.Time, asked.File, this->Result)
  , Datasets(this->ChooseStep(), asked.Step, this->Result)
{
  this->Result.SetFormat(recipe.Name, fmt::format("the recipe for {}", recipe.Name));
}

Description RecipeInterpreter::Describe()
{
  if (this->Whole.More.empty() || !this->Whole.Fields.empty() || !this->Whole.Arrays.empty())
  {
    this->AddParts(this->Whole);
  }
  for (const Recipe& more : this->Whole.More)
  {
    this->AddParts(more);
  }
  if (this->Result.Parts().empty() && this->Datasets.HasEmpty())
  {
    throw NothingYet(this->Whole.Name, "its datasets that the recipe names are empty");
  }
  this->Result.RequireParts(
    fmt::format("is {}, and the recipe for that finds nothing to show in it", this->Whole.Name));
  this->Times.SetAlong(this->Datasets.Steps(), this->Groups);
  for (const auto& [condition, text] : this->Whole.Remarks)
  {
    if (this->Values.Holds(condition))
    {
      this->Result.Guess(text);
    }
  }
  this->Result.LeaveOutOthers(
    this->Datasets.Objects(), [](const hdf5::Object&) { return "the recipe does not name it"; });
  return this->Result.Finish();
}

std::vector<hdf5::Object> RecipeInterpreter::ChooseStep()
{
  const auto& objects = this->Input.File.Objects();
  if (this->Whole.Steps.empty())
  {
    return objects;
  }
  const RecipeSteps steps = FindRecipeSteps(this->Whole.Steps, objects);
  if (steps.Words.empty())
  {
    throw NothingYet(
      this->Whole.Name, fmt::format("the recipe finds no step {} in it", this->Whole.Steps));
  }
  const std::size_t step = this->Result.ChooseStep(steps.Words.size());
  this->Chosen = steps.Words[step];
  this->Times.SetOf(steps);
  return OfStep(objects, steps.Groups, step);
}

void RecipeInterpreter::AddParts(const Recipe& rules)
{
  if (rules.Parts == "/")
  {
    this->AddPart(rules, { "/", this->Chosen });
    return;
  }
  for (const hdf5::Object& object : this->Datasets.Objects())
  {
    auto words =
      object.Dataset ? std::nullopt : MatchGroup(Bound(rules.Parts, this->Chosen), object.Path);
    if (words)
    {
      words->insert(this->Chosen.begin(), this->Chosen.end());
      this->AddPart(rules, { object.Path, std::move(*words) });
    }
  }
}

void RecipeInterpreter::AddPart(const Recipe& rules, const PartGroup& group)
{
  this->Groups.push_back(group);
  Part part{ group.Path == "/" ? rules.Name : LastName(group.Path), Rows{} };
  RecipeArrays arrays(rules, this->Values, this->Datasets, this->Result);
  const auto fields = arrays.Find(group);
  if (RecipeGeometry(rules, this->Values, this->Datasets, this->Result).Place(part, fields, group))
  {
    arrays.AddTo(part, group);
    this->Result.AddPart(std::move(part));
  }
}
}

Description InterpretRecipe(const Recipe& recipe, const Asked& asked)
{
  return RecipeInterpreter(recipe, asked).Describe();
}

}
