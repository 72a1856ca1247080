// SPDX-License-Identifier: BSD-3-Clause
// dsm.h as one process uses it, without MPI: what is refused, and in which words. A steering log
// that is replayed stands in for viewers.
#include "Client/dsm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>

namespace
{

/// A session of this process, with the log to replay that a test gives.
class Client : public testing::Test
{
protected:
  ~Client() override
  {
    EXPECT_EQ(dsm_close(&this->Session), DSM_OK);
    unsetenv("DSM_REPLAY");
    std::filesystem::remove(this->Log);
  }

  /// The rows of a log: "step what name new".
  void Open(const std::string& rows = "")
  {
    if (!rows.empty())
    {
      std::ofstream file(this->Log);
      file << "# ParaView DSM steering log 1\n" << rows;
      setenv("DSM_REPLAY", this->Log.c_str(), 1);
    }
    ASSERT_EQ(dsm_open_serial("", &this->Session), DSM_OK) << dsm_last_error();
  }

  static std::string Row(
    int number, int step, const char* what, const std::string& name, const std::string& value)
  {
    return std::to_string(number) + "\t2026-11-21T05:30:00Z\tada\tsim\t" + std::to_string(step) +
      "\t0.5\t" + what + "\t\"" + name + "\"\t-\t" + value + "\n";
  }

  const std::filesystem::path Log =
    std::filesystem::temp_directory_path() / ("dsm-client-" + std::to_string(getpid()) + ".log");
  dsm_session* Session = nullptr;
};

// The status and the words, which name the function and say what is wrong.
#define EXPECT_REFUSED(call, words)                                                                \
  do                                                                                               \
  {                                                                                                \
    const int status = (call);                                                                     \
    const std::string said = dsm_last_error();                                                     \
    EXPECT_EQ(status, DSM_ERROR_USAGE) << #call;                                                   \
    EXPECT_NE(said.find(words), std::string::npos) << said;                                        \
    EXPECT_EQ(said.rfind("dsm_", 0), 0u) << said;                                                  \
  } while (false)

TEST_F(Client, DeclarationsThatMakeNoSenseAreRefused)
{
  this->Open();
  dsm_session* dsm = this->Session;
  double feed = 0.03;
  int mode = 1;
  char label[4] = "abc";
  bool flag = true;
  double where[3] = { 0, 0, 0 };
  EXPECT_EQ(dsm_double(dsm, "feed", &feed), DSM_OK);
  EXPECT_REFUSED(dsm_double(dsm, "feed", &feed), "\"feed\" is declared already");
  EXPECT_REFUSED(dsm_command(dsm, "feed", nullptr, nullptr), "\"feed\" is declared already");
  EXPECT_REFUSED(dsm_observable(dsm, "feed"), "\"feed\" is declared already");
  EXPECT_REFUSED(dsm_double(dsm, "pause", &feed), "\"pause\" is declared already");
  EXPECT_REFUSED(dsm_double(dsm, "", &feed), "1 to 200");
  EXPECT_REFUSED(dsm_double(dsm, nullptr, &feed), "null pointer");
  EXPECT_REFUSED(dsm_double(dsm, "two\nlines", &feed), "no line break");
  EXPECT_REFUSED(dsm_double(dsm, "caf\xe9", &feed), "UTF-8");
  EXPECT_EQ(dsm_double(dsm, "caf\u00e9 \u03bb", &feed), DSM_OK);
  EXPECT_REFUSED(dsm_double(dsm, "kill", nullptr), "null pointer");
  double broken = NAN;
  EXPECT_REFUSED(dsm_double(dsm, "kill", &broken), "cannot begin with");

  EXPECT_REFUSED(dsm_enum(dsm, "mode", &mode, "one"), "from 0 to 0");
  EXPECT_REFUSED(dsm_enum(dsm, "mode", &mode, "one|two|one"), "\"one\" twice");
  EXPECT_REFUSED(dsm_enum(dsm, "mode", &mode, "one||two"), "1 to 200");
  EXPECT_EQ(dsm_enum(dsm, "mode", &mode, "one|two"), DSM_OK);
  EXPECT_REFUSED(dsm_string(dsm, "label", label, 0), "null pointer");
  EXPECT_EQ(dsm_string(dsm, "label", label, sizeof label), DSM_OK);
  EXPECT_EQ(dsm_bool(dsm, "flag", &flag), DSM_OK);
  EXPECT_EQ(dsm_vector(dsm, "where", where), DSM_OK);

  EXPECT_REFUSED(dsm_range(dsm, "feed", 1, 0), "empty");
  EXPECT_REFUSED(dsm_range(dsm, "feed", NAN, 0), "not a number");
  EXPECT_REFUSED(dsm_range(dsm, "food", 0, 1), "no parameter \"food\" is declared; there is feed");
  EXPECT_REFUSED(dsm_range(dsm, "label", 0, 1), "has no range");
  EXPECT_REFUSED(dsm_minimum(dsm, "mode", 0), "has no range");
  EXPECT_REFUSED(dsm_unit(dsm, "food", "m"), "not declared");
  EXPECT_REFUSED(dsm_meaning(dsm, "feed", "position"), "only a vector");
  EXPECT_REFUSED(dsm_meaning(dsm, "where", "somewhere"), "it can be position, direction");
  for (const char* meaning :
    { "position", "direction", "plane origin", "plane normal", "box minimum", "box maximum" })
  {
    EXPECT_EQ(dsm_meaning(dsm, "where", meaning), DSM_OK);
  }
  EXPECT_REFUSED(dsm_observe(dsm, "energy", 1), "call dsm_observable first");
  EXPECT_REFUSED(dsm_output_interval(dsm, -1), "counts steps from 0");
}

TEST_F(Client, WithoutAServerAllIsConstant)
{
  this->Open();
  dsm_session* dsm = this->Session;
  double feed = 0.03;
  EXPECT_EQ(dsm_double(dsm, "feed", &feed), DSM_OK);
  EXPECT_EQ(dsm_output_interval(dsm, 3), DSM_OK);
  for (int step = 0; step < 7; ++step)
  {
    EXPECT_EQ(dsm_step(dsm, step, step), DSM_OK);
    EXPECT_TRUE(dsm_running(dsm));
    EXPECT_FALSE(dsm_connected(dsm));
    EXPECT_EQ(dsm_output_due(dsm), step % 3 == 0);
    EXPECT_TRUE(dsm_enabled(dsm, "/fields/u"));
    EXPECT_EQ(dsm_commanded(dsm, "stop"), 0);
    EXPECT_EQ(dsm_commanded(dsm, "no such thing"), 0);
  }
  EXPECT_EQ(feed, 0.03);

  // No session at all: a program that did not open one runs the same.
  EXPECT_EQ(dsm_double(nullptr, "feed", &feed), DSM_OK);
  EXPECT_EQ(dsm_step(nullptr, 0, 0), DSM_OK);
  EXPECT_TRUE(dsm_running(nullptr));
  EXPECT_TRUE(dsm_enabled(nullptr, "/fields/u"));
  EXPECT_FALSE(dsm_output_due(nullptr));
  EXPECT_EQ(dsm_close(nullptr), DSM_OK);
}

TEST_F(Client, EveryTypeIsSetWithinItsRoom)
{
  this->Open(Row(1, 2, "set", "flag", "true") + Row(1, 2, "set", "count", "9007199254740993") +
    Row(1, 2, "set", "feed", "0.1") + Row(1, 2, "set", "mode", "\"two\"") +
    Row(1, 2, "set", "label", "\"abc\"") + Row(1, 2, "set", "padded", "\"ab\"") +
    Row(1, 2, "set", "where", "[1,-2.5,1e300]") + Row(1, 2, "set", "/fields", "false"));
  dsm_session* dsm = this->Session;
  bool flag = false;
  std::int64_t count = -1;
  double feed = 0;
  int mode = 0;
  char label[5] = { 'x', 'x', 'x', 'x', '!' };
  char padded[5] = { 'x', 'x', 'x', 'x', '!' };
  double where[3] = { 0, 0, 0 };
  label[0] = 0;
  EXPECT_EQ(dsm_bool(dsm, "flag", &flag), DSM_OK);
  EXPECT_EQ(dsm_int64(dsm, "count", &count), DSM_OK);
  EXPECT_EQ(dsm_double(dsm, "feed", &feed), DSM_OK);
  EXPECT_EQ(dsm_enum(dsm, "mode", &mode, "one|two"), DSM_OK);
  EXPECT_EQ(dsm_string(dsm, "label", label, 4), DSM_OK);
  EXPECT_EQ(dsm_string_padded(dsm, "padded", padded, 4), DSM_OK);
  EXPECT_EQ(dsm_vector(dsm, "where", where), DSM_OK);
  EXPECT_TRUE(dsm_enabled(dsm, "/fields"));
  EXPECT_TRUE(dsm_enabled(dsm, "/fields/u"));
  EXPECT_TRUE(dsm_enabled(dsm, "/fieldsome"));
  EXPECT_EQ(dsm_step(dsm, 1, 1), DSM_OK) << dsm_last_error();
  EXPECT_FALSE(flag);
  EXPECT_EQ(dsm_step(dsm, 2, 2), DSM_OK) << dsm_last_error();
  EXPECT_TRUE(flag);
  EXPECT_EQ(count, 9007199254740993);
  EXPECT_EQ(feed, 0.1);
  EXPECT_EQ(mode, 1);
  EXPECT_STREQ(label, "abc");
  EXPECT_EQ(label[4], '!');
  EXPECT_EQ(std::string(padded, 5), "ab  !");
  EXPECT_EQ(where[1], -2.5);
  EXPECT_EQ(where[2], 1e300);
  // What holds it is off, and a name that only begins like it is not.
  EXPECT_FALSE(dsm_enabled(dsm, "/fields"));
  EXPECT_FALSE(dsm_enabled(dsm, "/fields/u"));
  EXPECT_TRUE(dsm_enabled(dsm, "/fieldsome"));
  EXPECT_FALSE(dsm_enabled(dsm, "/fields/declared late"));
}

TEST_F(Client, ALogThatDoesNotFitChangesNothing)
{
  this->Open(Row(1, 0, "set", "feed", "0.07") + Row(1, 0, "set", "count", "7") +
    Row(2, 1, "set", "feed", "0.05") + Row(3, 9, "command", "stop", "1"));
  dsm_session* dsm = this->Session;
  double feed = 0.03;
  std::int64_t count = 3;
  EXPECT_EQ(dsm_double(dsm, "feed", &feed), DSM_OK);
  EXPECT_EQ(dsm_int64(dsm, "count", &count), DSM_OK);
  EXPECT_EQ(dsm_range(dsm, "count", 0, 5), DSM_OK);
  EXPECT_REFUSED(dsm_step(dsm, 0, 0),
    "does not fit this program: at step 0, \"count\" is out of range (maximum is 5)");
  EXPECT_EQ(feed, 0.03);
  EXPECT_EQ(count, 3);
  EXPECT_EQ(dsm_step(dsm, 1, 0), DSM_OK) << dsm_last_error();
  EXPECT_EQ(feed, 0.05);
  EXPECT_TRUE(dsm_running(dsm));
  EXPECT_EQ(dsm_step(dsm, 9, 0), DSM_OK);
  EXPECT_FALSE(dsm_running(dsm));
}

TEST_F(Client, AFileThatIsNoLogIsNamed)
{
  std::ofstream(this->Log) << "# comment\nthis is no log\n";
  setenv("DSM_REPLAY", this->Log.c_str(), 1);
  EXPECT_REFUSED(dsm_open_serial("", &this->Session), "line 2 of " + this->Log.string());
  EXPECT_EQ(this->Session, nullptr);
  setenv("DSM_REPLAY", "/no/such/log", 1);
  EXPECT_EQ(dsm_open_serial("", &this->Session), DSM_ERROR_SYSTEM);
  EXPECT_NE(std::string(dsm_last_error()).find("/no/such/log"), std::string::npos);
}

struct Counter
{
  dsm_session* Session;
  int Called = 0;
};

// Declares another command while its own is carried out.
void Act(void* data)
{
  auto* counter = static_cast<Counter*>(data);
  ++counter->Called;
  for (int more = 0; counter->Called == 1 && more < 50; ++more)
  {
    dsm_command(counter->Session, ("more " + std::to_string(more)).c_str(), Act, counter);
  }
}

TEST_F(Client, CommandsAreCountedAndMayDeclareMore)
{
  this->Open(Row(1, 0, "command", "act", "1") + Row(2, 0, "command", "act", "1") +
    Row(3, 1, "command", "more 49", "1"));
  Counter counter{ this->Session };
  EXPECT_EQ(dsm_command(this->Session, "act", Act, &counter), DSM_OK);
  EXPECT_EQ(dsm_step(this->Session, 0, 0), DSM_OK) << dsm_last_error();
  EXPECT_EQ(counter.Called, 2);
  EXPECT_EQ(dsm_commanded(this->Session, "act"), 2);
  EXPECT_EQ(dsm_step(this->Session, 1, 0), DSM_OK) << dsm_last_error();
  EXPECT_EQ(counter.Called, 3);
  EXPECT_EQ(dsm_commanded(this->Session, "act"), 0);
  EXPECT_EQ(dsm_commanded(this->Session, "more 49"), 1);
}

TEST(ClientWithoutMpi, IsToldApart)
{
  dsm_session* session = nullptr;
  EXPECT_REFUSED(dsm_open(MPI_COMM_WORLD, "", &session), "MPI is not running");
  EXPECT_REFUSED(dsm_open_serial("", nullptr), "no place for the session");
}

}
