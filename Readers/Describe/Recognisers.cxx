// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/Recognisers.h"

#include "Describe/AmrexParticles.h"
#include "Describe/Carpet.h"
#include "Describe/Cgns.h"
#include "Describe/Chombo.h"
#include "Describe/DimensionScales.h"
#include "Describe/Exodus.h"
#include "Describe/H5hut.h"
#include "Describe/Med.h"
#include "Describe/Meep.h"
#include "Describe/OpenPmd.h"
#include "Describe/Pandas.h"
#include "Describe/Parthenon.h"
#include "Describe/Petsc.h"
#include "Describe/RecipeRecogniser.h"
#include "Describe/SmileiProbes.h"

namespace dsm::describe
{

namespace
{
// The user's own comes first, then those that are surest.
constexpr Recogniser Recognisers[] = {
  RecogniseOwn,
  RecogniseBuiltIn,
  RecogniseAmrexParticles,
  RecogniseChombo,
  RecogniseParthenon,
  RecogniseCarpet,
  RecogniseH5hut,
  RecogniseOpenPmd,
  RecogniseCgns,
  RecogniseExodus,
  RecogniseMed,
  RecognisePetsc,
  RecogniseSmileiProbes,
  RecognisePandas,
  RecogniseDimensionScales,
  RecogniseMeep,
};
}

std::optional<Description> RecogniseAny(const Asked& asked)
{
  for (const Recogniser recognise : Recognisers)
  {
    if (auto found = recognise(asked))
    {
      return found;
    }
  }
  return std::nullopt;
}

}
