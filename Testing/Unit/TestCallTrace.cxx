// SPDX-License-Identifier: BSD-3-Clause
#include "Base/Error.h"
#include "Driver/CallTrace.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

namespace
{

using namespace dsm;

class CallTraceTest : public testing::Test
{
protected:
  void SetUp() override
  {
    char name[] = "/tmp/dsm-trace-XXXXXX";
    ASSERT_NE(nullptr, mkdtemp(name));
    this->Folder = name;
  }
  void TearDown() override { std::filesystem::remove_all(this->Folder); }

  std::vector<std::string> Lines(const std::string& name) const
  {
    std::ifstream file(this->Folder / name);
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);)
    {
      lines.push_back(line);
    }
    return lines;
  }

  std::filesystem::path Folder;
};

CallRecord Write()
{
  CallRecord record;
  record.File = 1;
  record.Call = CallRecord::Operation::Write;
  record.Kind = "raw";
  record.Collective = true;
  record.Address = 4096;
  record.Size = 300;
  record.Pieces = 2;
  record.Add({ 1, 100, "shared-memory" }, 100);
  record.Add({ 0, 100, "fabric/tcp" }, 150);
  record.Add({ 1, 50, "shared-memory" }, 50);
  record.Begin = Clock::now();
  record.Duration = Seconds(0.25);
  return record;
}

TEST(CallTracePath, FoldersAndPatterns)
{
  const CallTrace::Process process{ 12, 4711, "node3" };
  EXPECT_EQ("/tmp/x/rank12.csv", CallTrace::PathFor("/tmp/x", process));
  EXPECT_EQ("x/rank12.csv", CallTrace::PathFor("x/", process));
  EXPECT_EQ("a.node3.12.4711.csv", CallTrace::PathFor("a.%h.%r.%p.csv", process));
  EXPECT_EQ("100% 12", CallTrace::PathFor("100%% %r", process));
  for (const char* wrong : { "a%", "a%d.csv" })
  {
    try
    {
      CallTrace::PathFor(wrong, process);
      ADD_FAILURE() << wrong;
    }
    catch (const Error& error)
    {
      EXPECT_EQ(Fault::Usage, error.GetFault());
      EXPECT_NE(std::string::npos, std::string(error.what()).find("DSM_TRACE")) << error.what();
    }
  }
}

TEST_F(CallTraceTest, ALineForEachCall)
{
  {
    CallTrace trace(this->Folder / "deep/er/rank3.csv", 3);
    CallRecord open;
    open.File = trace.NumberOfNextFile();
    open.Name = "a \"b\", c.h5";
    open.Begin = Clock::now();
    trace.Add(open);
    trace.Add(Write());
  }
  const auto lines = this->Lines("deep/er/rank3.csv");
  ASSERT_EQ(3u, lines.size());
  EXPECT_EQ("begin,seconds,rank,file,operation,kind,transfer,mode,address,size,pieces,hosts,"
            "transport,failed,name",
    lines[0]);
  EXPECT_NE(std::string::npos,
    lines[1].find(",3,1,open,,independent,independent,0,0,0,,,0,\"a \"\"b\"\", c.h5\""))
    << lines[1];
  EXPECT_NE(std::string::npos,
    lines[2].find(",0.250000000,3,1,write,raw,collective,independent,4096,300,2,1:150 0:150,"
                  "shared-memory+fabric/tcp,0,"))
    << lines[2];
}

// What another program would have lost by a crash.
TEST_F(CallTraceTest, ReadsAndWritesWaitForOthers)
{
  CallTrace trace(this->Folder / "a.csv", 0);
  trace.Add(Write());
  EXPECT_EQ(1u, this->Lines("a.csv").size());
  CallRecord flush;
  flush.Call = CallRecord::Operation::Flush;
  flush.Begin = Clock::now();
  trace.Add(flush);
  EXPECT_EQ(3u, this->Lines("a.csv").size());
  CallRecord late = Write();
  late.Duration = Seconds(2); // since the last line was handed over
  trace.Add(late);
  EXPECT_EQ(4u, this->Lines("a.csv").size());
  for (int i = 0; i < 1000; ++i) // 100 KB
  {
    trace.Add(Write());
  }
  EXPECT_GT(this->Lines("a.csv").size(), 500u);
}

TEST_F(CallTraceTest, NoFileIsWrittenOver)
{
  for (const char* name : { "a.csv", "a-2.csv", "a-3.csv" })
  {
    const CallTrace trace(this->Folder / "a.csv", 0);
    EXPECT_EQ(1u, this->Lines(name).size()) << name;
  }
  EXPECT_THROW(CallTrace("/proc/no/such/a.csv", 0), Error);
}

// It has its parent's lines in its memory, and must not write them once more.
TEST_F(CallTraceTest, AForkedChildWritesNothing)
{
  {
    CallTrace trace(this->Folder / "a.csv", 0);
    trace.Add(Write());
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0)
    {
      trace.Add(Write());
      trace.Flush();
      _exit(0);
    }
    waitpid(child, nullptr, 0);
  }
  EXPECT_EQ(2u, this->Lines("a.csv").size());
}

}
