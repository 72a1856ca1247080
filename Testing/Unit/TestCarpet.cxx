// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/Carpet.h"
#include "MemoryFacts.h"

#include <gtest/gtest.h>

namespace
{
using Numbers = std::vector<double>;

// A variable on a component of 5 x 3 points.
MemoryFacts::Entry& Add(MemoryFacts& file, const std::string& name,
  const Numbers& origin = { 0, 1 }, const Numbers& delta = { 0.5, 1 })
{
  return file.Data("/" + name, { 3, 5 }).With("origin", origin).With("delta", delta);
}
}

TEST(CarpetRecogniser, MakesAPartOfEachComponent)
{
  CheckRecogniser(dsm::describe::RecogniseCarpet,
    {
      { "two variables of the last iteration",
        [](MemoryFacts& file)
        {
          Add(file, "ADMBASE::alp it=0 tl=0 rl=0 c=0").With("time", 0.0);
          Add(file, "ADMBASE::alp it=8 tl=0 rl=0 c=0").With("time", 0.25);
          Add(file, "HYDROBASE::rho it=8 tl=0 rl=0 c=0");
        },
        R"(Carpet: the names of the file's datasets are those of Cactus with Carpet
time 0.25
step 1 of 2, times 0 to 0.25
part level 0 component 0: uniform, 5 x 3 x 1 points, origin 0 1 0, spacing 0.5 1 1
  point array alp: /ADMBASE::alp it=8 tl=0 rl=0 c=0[y:3, x:5]
  point array rho: /HYDROBASE::rho it=8 tl=0 rl=0 c=0[y:3, x:5])" },
      { "the first iteration",
        [](MemoryFacts& file)
        {
          Add(file, "ADMBASE::alp it=0 tl=0 rl=0 c=0");
          Add(file, "ADMBASE::alp it=8 tl=0 rl=0 c=0");
        },
        R"(Carpet: the names of the file's datasets are those of Cactus with Carpet
time 0
step 0 of 2, times 0 to 8
part level 0 component 0: uniform, 5 x 3 x 1 points, origin 0 1 0, spacing 0.5 1 1
  point array alp: /ADMBASE::alp it=0 tl=0 rl=0 c=0[y:3, x:5])",
        0 },
      { "a finer level covers cells, and so does a component that came before",
        [](MemoryFacts& file)
        {
          Add(file, "A::u it=0 tl=0 rl=0 c=0");
          Add(file, "A::u it=0 tl=0 rl=0 c=1", { 1.5, 1 });
          Add(file, "A::u it=0 tl=0 rl=1 c=0", { 0, 1 }, { 0.25, 0.5 });
        },
        R"(Carpet: the names of the file's datasets are those of Cactus with Carpet
time 0
part level 0 component 0: uniform, 5 x 3 x 1 points, origin 0 1 0, spacing 0.5 1 1
  2 cells of it covered
  point array u: /A::u it=0 tl=0 rl=0 c=0[y:3, x:5]
part level 0 component 1: uniform, 5 x 3 x 1 points, origin 1.5 1 0, spacing 0.5 1 1
  2 cells of it covered
  point array u: /A::u it=0 tl=0 rl=0 c=1[y:3, x:5]
part level 1 component 0: uniform, 5 x 3 x 1 points, origin 0 1 0, spacing 0.25 0.5 1
  level 1
  point array u: /A::u it=0 tl=0 rl=1 c=0[y:3, x:5])" },
      { "a name of two thorns, and an older time level",
        [](MemoryFacts& file)
        {
          Add(file, "A::u it=0 tl=0");
          Add(file, "B::u it=0 tl=0");
          Add(file, "A::u it=0 tl=1");
        },
        R"(Carpet: the names of the file's datasets are those of Cactus with Carpet
time 0
part level 0 component 0: uniform, 5 x 3 x 1 points, origin 0 1 0, spacing 0.5 1 1
  point array A::u: /A::u it=0 tl=0[y:3, x:5]
  point array B::u: /B::u it=0 tl=0[y:3, x:5]
left out: /A::u it=0 tl=1: it is of an older time level)" },
      { "maps",
        [](MemoryFacts& file)
        {
          Add(file, "A::u it=0 tl=0 m=0 rl=0");
          Add(file, "A::u it=0 tl=0 m=1 rl=0");
        },
        R"(Carpet: the names of the file's datasets are those of Cactus with Carpet
time 0
part map 0 level 0 component 0: uniform, 5 x 3 x 1 points, origin 0 1 0, spacing 0.5 1 1
  point array u: /A::u it=0 tl=0 m=0 rl=0[y:3, x:5]
part map 1 level 0 component 0: uniform, 5 x 3 x 1 points, origin 0 1 0, spacing 0.5 1 1
  point array u: /A::u it=0 tl=0 m=1 rl=0[y:3, x:5])" },
      { "what is not shown",
        [](MemoryFacts& file)
        {
          Add(file, "A::u it=0 tl=0");
          Add(file, "A::text it=0 tl=0").OfType("text");
          Add(file, "A::flat it=0 tl=0", { 1 }, { 1 });
          Add(file, "A::still it=0 tl=0", { 0, 1 }, { 0.5, 0 });
          Add(file, "A::u it=0 tl=0 ml=0");
          file.Group("/Parameters and Global Attributes");
        },
        R"(Carpet: the names of the file's datasets are those of Cactus with Carpet
time 0
part level 0 component 0: uniform, 5 x 3 x 1 points, origin 0 1 0, spacing 0.5 1 1
  point array u: /A::u it=0 tl=0[y:3, x:5]
left out: /A::flat it=0 tl=0: its attributes origin and delta have 1 and 1 numbers, and it 2 dimensions
left out: /A::still it=0 tl=0: its origin 1 and delta 0 are no place
left out: /A::text it=0 tl=0: it has no numbers (text)
left out: /Parameters and Global Attributes: it is no variable of an iteration
left out: /A::u it=0 tl=0 ml=0: another dataset is the same variable)" },
    });
}

TEST(CarpetRecogniser, SaysThatThereIsNoVariable)
{
  CheckRecogniser(dsm::describe::RecogniseCarpet,
    {
      { "no place", [](MemoryFacts& file) { file.Data("/A::u it=0 tl=0", { 3, 5 }); },
        R"(error: /runs/out.h5 is a file of Carpet, and cannot be shown: /A::u it=0 tl=0: its attributes origin and delta have 0 and 0 numbers, and it 2 dimensions)" },
      { "groups", [](MemoryFacts& file) { file.Group("/A::u it=0 tl=0"); },
        R"(error: /runs/out.h5 is a file of Carpet, and cannot be shown: it has no variables)" },
    });
}

TEST(CarpetRecogniser, IgnoresOtherFiles)
{
  CheckRecogniser(dsm::describe::RecogniseCarpet,
    {
      { "nothing", [](MemoryFacts&) {}, "not recognised" },
      { "other names",
        [](MemoryFacts& file)
        {
          for (const char* name : { "u", "A::u", "A::u it=0", "A::u it=0 tl=0 q=1",
                 "A::u it=x tl=0", "A::u it=0 it=1 tl=0", "u it=0 tl=0" })
          {
            Add(file, name);
          }
        },
        "not recognised" },
    });
}
