// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/Pandas.h"
#include "MemoryFacts.h"

#include <gtest/gtest.h>

namespace
{
void AddTable(MemoryFacts& file, const std::string& group, hsize_t rows)
{
  file.Group("/").With("PYTABLES_FORMAT_VERSION", "2.1");
  file.Group(group).With("pandas_type", "frame_table");
  file.Data(group + "/table", { rows })
    .OfMembers({ "index", "a" })
    .WithArray("values_block_0", { 2 })
    .With("values_block_0_kind", "(lp0\nVb\np1\naVc\np2\na.");
  file.Data(group + "/_i_table/index/sortedLR", { 131201 });
}
}

TEST(PandasRecogniser, ShowsAFrameByItsColumns)
{
  CheckRecogniser(dsm::describe::RecognisePandas,
    {
      { "a table, whose index is larger",
        [](MemoryFacts& file) { AddTable(file, "/run/df", 5000); },
        R"(pandas: /run/df is a frame of pandas
part run/df: table of 5000 rows
  point array index: /run/df/table.index[i:5000]
  point array a: /run/df/table.a[i:5000]
  point array b: /run/df/table.values_block_0[i:5000, 0]
  point array c: /run/df/table.values_block_0[i:5000, 1])" },
      { "columns without names",
        [](MemoryFacts& file)
        {
          AddTable(file, "/df", 5);
          file.Data("/df/table", { 5 }).OfType("compound").With("values_block_0_kind", "?");
        },
        R"(pandas: /df is a frame of pandas
part df: table of 5 rows
  point array index: /df/table.index[i:5]
  point array a: /df/table.a[i:5]
  point array values_block_0_0: /df/table.values_block_0[i:5, 0]
  point array values_block_0_1: /df/table.values_block_0[i:5, 1])" },
      { "the fixed format, beside a smaller frame and a series",
        [](MemoryFacts& file)
        {
          AddTable(file, "/small", 3);
          file.Group("/f").With("pandas_type", "frame");
          file.Data("/f/axis1", { 9 }).OfType("int64");
          file.Rows("/f/block0_items", { "u", "v" });
          file.Data("/f/block0_values", { 9, 2 });
          file.Group("/s").With("pandas_type", "series").With("name", "t");
          file.Data("/s/index", { 4 });
          file.Data("/s/values", { 4 });
        },
        R"(pandas: /f is a frame of pandas
part f: table of 9 rows
  point array index: /f/axis1[i:9]
  point array u: /f/block0_values[i:9, 0]
  point array v: /f/block0_values[i:9, 1]
left out: /s: it is another frame, with 4 rows, and one is shown: /f
left out: /small: it is another frame, with 3 rows, and one is shown: /f)" },
      { "a series",
        [](MemoryFacts& file)
        {
          file.Group("/").With("PYTABLES_FORMAT_VERSION", "2.1");
          file.Group("/s").With("pandas_type", "series").With("name", "t");
          file.Data("/s/index", { 4 });
          file.Data("/s/values", { 4 });
        },
        R"(pandas: /s is a frame of pandas
part s: table of 4 rows
  point array index: /s/index[i:4]
  point array t: /s/values[i:4])" },
    });
}

TEST(PandasRecogniser, WaitsAndIgnores)
{
  CheckRecogniser(dsm::describe::RecognisePandas,
    {
      { "a table without rows", [](MemoryFacts& file) { AddTable(file, "/df", 0); },
        "error: there is nothing in it yet: its frames have no numbers" },
      { "a table of PyTables",
        [](MemoryFacts& file)
        {
          file.Group("/").With("PYTABLES_FORMAT_VERSION", "2.1");
          file.Data("/t", { 5 }).OfMembers({ "x" }).With("CLASS", "TABLE");
        },
        "not recognised" },
    });
}
