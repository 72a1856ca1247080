// SPDX-License-Identifier: BSD-3-Clause
#include "Base/Error.h"

#include "Mpi/Agreement.h"

#include <gtest/gtest.h>

#include <exception>
#include <new>
#include <stdexcept>
#include <string>

namespace
{

using namespace dsm;

/// What was thrown, the fault and the text that it becomes.
struct Case
{
  const char* Name;
  std::exception_ptr Thrown;
  Fault Expected;
  std::string Text;
};

class ErrorFrom : public ::testing::TestWithParam<Case>
{
};

TEST_P(ErrorFrom, KeepsFaultAndText)
{
  const Case& given = GetParam();
  const Error error = Error::From(given.Thrown);
  EXPECT_EQ(error.GetFault(), given.Expected);
  EXPECT_EQ(error.what(), given.Text);
  // In a handler, which has a reference to the base class.
  try
  {
    std::rethrow_exception(given.Thrown);
  }
  catch (const std::exception& thrown)
  {
    EXPECT_EQ(Error::From(thrown).GetFault(), given.Expected);
    EXPECT_EQ(Error::From(thrown).what(), given.Text);
  }
  catch (...)
  {
    EXPECT_EQ(given.Expected, Fault::System); // no reference to pass
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, ErrorFrom,
  ::testing::Values(Case{ "Error", std::make_exception_ptr(Error(Fault::RingFull, "no room")),
                      Fault::RingFull, "no room" },
    Case{ "AgreedError", std::make_exception_ptr(AgreedError(Fault::PeerLost, "{} left", 3)),
      Fault::PeerLost, "3 left" },
    Case{ "Braces", std::make_exception_ptr(std::runtime_error("{} is not a format")),
      Fault::System, "{} is not a format" },
    Case{ "Memory", std::make_exception_ptr(std::bad_alloc()), Fault::System, "std::bad_alloc" },
    Case{ "Unknown", std::make_exception_ptr(42), Fault::System,
      "a function threw something that is not a std::exception" }),
  [](const auto& tested) { return tested.param.Name; });

}
