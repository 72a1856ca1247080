// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/Meep.h"
#include "MemoryFacts.h"

#include <gtest/gtest.h>

TEST(MeepRecogniser, KnowsFieldsByTheirNames)
{
  CheckRecogniser(dsm::describe::RecogniseMeep,
    {
      { "a field that the file is named after", [](MemoryFacts& file)
        { file.Data("/ez", { 3, 4 }); }, R"(Meep: its datasets are named and lie as those of Meep
time 9
part Meep: uniform, 3 x 4 x 1 points, origin 0 0 0, spacing 1 1 1
  point array ez: /ez[x:3, y:4]
guessed: Origin 0 0 0
guessed: Spacing 1 1 1
guessed: First dimension = x)",
        {}, "/runs/ring-ez-000009.00.h5" },
      { "complex fields",
        [](MemoryFacts& file)
        {
          for (const char* name : { "/ex.r", "/ex.i", "/ey.r", "/ey.i" })
          {
            file.Data(name, { 3, 4, 5 });
          }
        },
        R"(Meep: its datasets are named and lie as those of Meep
part Meep: uniform, 3 x 4 x 5 points, origin 0 0 0, spacing 1 1 1
  point array ex (real, imaginary): /ex.r[x:3, y:4, z:5], /ex.i[x:3, y:4, z:5]
  point array ey (real, imaginary): /ey.r[x:3, y:4, z:5], /ey.i[x:3, y:4, z:5]
guessed: Origin 0 0 0
guessed: Spacing 1 1 1
guessed: First dimension = x)" },
      { "steps that are appended, the last",
        [](MemoryFacts& file) { file.Data("/hz", { 3, 4, 6 }).Growing(2); },
        R"(Meep: its datasets are named and lie as those of Meep
time 5
step 5 of 6, times 0 to 5
part Meep: uniform, 3 x 4 x 1 points, origin 0 0 0, spacing 1 1 1
  point array hz: /hz[x:3, y:4, t=5]
guessed: Last dimension = time, in steps of 1
guessed: Origin 0 0 0
guessed: Spacing 1 1 1
guessed: First dimension = x)" },
      { "steps that are appended, the second",
        [](MemoryFacts& file) { file.Data("/hz", { 3, 4, 6 }).Growing(2); },
        R"(Meep: its datasets are named and lie as those of Meep
time 1
step 1 of 6, times 0 to 5
part Meep: uniform, 3 x 4 x 1 points, origin 0 0 0, spacing 1 1 1
  point array hz: /hz[x:3, y:4, t=1]
guessed: Last dimension = time, in steps of 1
guessed: Origin 0 0 0
guessed: Spacing 1 1 1
guessed: First dimension = x)",
        1 },
    });
}

TEST(MeepRecogniser, IgnoresOtherFiles)
{
  CheckRecogniser(dsm::describe::RecogniseMeep,
    {
      { "nothing", [](MemoryFacts&) {}, "not recognised" },
      { "a field in a file of another name", [](MemoryFacts& file) { file.Data("/ez", { 3, 4 }); },
        "not recognised" },
      { "another dataset",
        [](MemoryFacts& file)
        {
          file.Data("/ez", { 3, 4 });
          file.Data("/u", { 3, 4 });
        },
        "not recognised", {}, "/runs/ez.h5" },
      { "an attribute of the dataset", [](MemoryFacts& file)
        { file.Data("/ez", { 3, 4 }).With("units", "V"); }, "not recognised", {}, "/runs/ez.h5" },
      { "an attribute of the file",
        [](MemoryFacts& file)
        {
          file.Data("/ez", { 3, 4 });
          file.Group("/").With("code", "mine");
        },
        "not recognised", {}, "/runs/ez.h5" },
      { "an imaginary part alone", [](MemoryFacts& file) { file.Data("/ez.i", { 3, 4 }); },
        "not recognised", {}, "/runs/ez.h5" },
      { "integers", [](MemoryFacts& file) { file.Data("/ez", { 3, 4 }).OfType("int32"); },
        "not recognised", {}, "/runs/ez.h5" },
      { "different shapes",
        [](MemoryFacts& file)
        {
          file.Data("/ez.r", { 3, 4 });
          file.Data("/ez.i", { 3, 5 });
        },
        "not recognised", {}, "/runs/ez.h5" },
    });
}
