// SPDX-License-Identifier: BSD-3-Clause
// main() of the unit tests. Without arguments of its own it does what gtest_main does.
//
//   dsmUnitTests --file=TestRing.cxx              runs the tests of this source file
//   dsmUnitTests --files TestRing.cxx TestX.cxx   runs nothing; fails unless every test is in one
//   of
//                                                 these files and each of them has a test
#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <string>
#include <vector>

namespace
{

/// The full names of all tests, by the names of their source files.
std::map<std::string, std::vector<std::string>> TestsByFile()
{
  std::map<std::string, std::vector<std::string>> tests;
  const auto& all = *testing::UnitTest::GetInstance();
  for (int i = 0; i < all.total_test_suite_count(); ++i)
  {
    const auto& suite = *all.GetTestSuite(i);
    for (int j = 0; j < suite.total_test_count(); ++j)
    {
      const auto& test = *suite.GetTestInfo(j);
      const std::string path = test.file();
      tests[path.substr(path.rfind('/') + 1)].push_back(
        std::string(suite.name()) + "." + test.name());
    }
  }
  return tests;
}

int RunFile(const std::string& file)
{
  auto tests = TestsByFile();
  std::string filter;
  for (const std::string& test : tests[file])
  {
    filter += (filter.empty() ? "" : ":") + test;
  }
  if (filter.empty())
  {
    std::fprintf(stderr, "dsmUnitTests: there is no test in %s\n", file.c_str());
    return 1;
  }
  GTEST_FLAG_SET(filter, filter);
  return RUN_ALL_TESTS();
}

int CheckFiles(const std::vector<std::string>& registered)
{
  int status = 0;
  auto tests = TestsByFile();
  for (const std::string& file : registered)
  {
    if (tests.erase(file) == 0)
    {
      std::fprintf(stderr, "dsmUnitTests: there is no test in %s\n", file.c_str());
      status = 1;
    }
  }
  for (const auto& [file, names] : tests)
  {
    std::fprintf(stderr, "dsmUnitTests: ctest does not run %s, which has %zu tests (%s, ...)\n",
      file.c_str(), names.size(), names.front().c_str());
    status = 1;
  }
  return status;
}

}

int main(int argc, char** argv)
{
  testing::InitGoogleTest(&argc, argv);
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const std::string option = "--file=";
  if (arguments.empty())
  {
    return RUN_ALL_TESTS();
  }
  if (arguments.size() == 1 && arguments[0].rfind(option, 0) == 0)
  {
    return RunFile(arguments[0].substr(option.size()));
  }
  if (arguments[0] == "--files")
  {
    return CheckFiles({ arguments.begin() + 1, arguments.end() });
  }
  std::fprintf(stderr, "dsmUnitTests: unknown argument \"%s\"\n", arguments[0].c_str());
  return 2;
}
