// SPDX-License-Identifier: BSD-3-Clause
#include "Control/ContactFile.h"

#include "ControlFixture.h"

#include "Control/KeyPair.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <future>
#include <optional>
#include <sstream>
#include <string_view>

#include <sys/stat.h>
#include <sys/wait.h>

namespace
{

using namespace dsm;
using namespace dsm::testing;

Contact Example()
{
  Contact contact = ContactOfThisProcess();
  contact.Endpoints = { "tcp://127.0.0.1:4711", "tcp://10.0.0.7:4711" };
  contact.ServerPublicKey = "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7";
  contact.ClientPublicKey = "Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID";
  contact.ClientSecretKey = std::string_view("D:)Q[IlAW!ahhC2ac:9*A}h:p?([4%wOTJ%JR%cs");
  contact.Transports = { "shared-memory" };
  return contact;
}

void ExpectEqual(const Contact& a, const Contact& b)
{
  EXPECT_EQ(a.ToText(), b.ToText());
}

Deadline Soon()
{
  return Deadline(Seconds(30));
}

std::string ReadText(const std::string& path)
{
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

void WriteText(const std::string& path, const std::string& text)
{
  std::ofstream(path) << text;
  chmod(path.c_str(), 0600);
}

TEST(ContactFile, IsPrivateReadableAndRemovedAtTheEnd)
{
  const TemporaryFolder folder;
  const std::string path = folder.File("run.dsm");
  const Contact contact = Example();
  {
    const mode_t before = umask(0);
    const ContactFile file(path, contact);
    umask(before);
    EXPECT_EQ(file.Path(), path);
    struct stat status = {};
    ASSERT_EQ(stat(path.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777U, 0600U);
    const Contact read = ReadContact(path, Soon());
    ExpectEqual(read, contact);
    EXPECT_EQ(read.Endpoints, contact.Endpoints);
    EXPECT_EQ(read.ClientSecretKey, contact.ClientSecretKey);
    EXPECT_EQ(read.Process, contact.Process);
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(ContactFile, RefusesASecondServer)
{
  const TemporaryFolder folder;
  const std::string path = folder.File("run.dsm");
  const Contact contact = Example();
  const ContactFile file(path, contact);
  const std::string text = TextOf(Fault::Usage, [&] { const ContactFile second(path, contact); });
  for (const std::string& part :
    { path, std::to_string(contact.Process), contact.HostName, contact.Started })
  {
    EXPECT_TRUE(Contains(text, part)) << text;
  }
  ExpectEqual(ReadContact(path, Soon()), contact);
}

TEST(ContactFile, ReplacesOneThatACrashedServerLeft)
{
  const TemporaryFolder folder;
  const std::string path = folder.File("run.dsm");
  const pid_t child = fork();
  if (child == 0)
  {
    Contact old = Example();
    old.Started = "2001-01-01T00:00:00Z";
    new ContactFile(path, old);
    _exit(0); // no destructor: a crash
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
  ASSERT_TRUE(Contains(ReadText(path), "2001-01-01"));
  const ContactFile file(path, Example());
  ExpectEqual(ReadContact(path, Soon()), Example());
}

TEST(ContactFile, WaitsForAServerThatIsJustEnding)
{
  const TemporaryFolder folder;
  const std::string path = folder.File("run.dsm");
  // It waits for half a second: on a busy machine the first may end too late for that.
  std::unique_ptr<ContactFile> file;
  for (int attempt = 0; attempt < 10 && !file; ++attempt)
  {
    auto first = std::make_unique<ContactFile>(path, Example());
    auto second = std::async(
      std::launch::async, [&] { return std::make_unique<ContactFile>(path, Example()); });
    EXPECT_EQ(second.wait_for(std::chrono::milliseconds(50)), std::future_status::timeout);
    first.reset();
    try
    {
      file = second.get();
    }
    catch (const Error& error)
    {
      EXPECT_EQ(error.GetFault(), Fault::Usage) << error.what();
    }
  }
  ASSERT_TRUE(file);
  ExpectEqual(ReadContact(path, Soon()), Example());
}

TEST(ContactFile, AForkedChildLeavesItAlone)
{
  const TemporaryFolder folder;
  const std::string path = folder.File("run.dsm");
  std::optional<ContactFile> file;
  file.emplace(path, Example());
  const pid_t child = fork();
  if (child == 0)
  {
    file.reset();
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  EXPECT_TRUE(std::filesystem::exists(path));
  TextOf(Fault::Usage, [&] { const ContactFile second(path, Example()); });
}

TEST(ContactFile, LeavesAnotherServersFileAlone)
{
  const TemporaryFolder folder;
  const std::string path = folder.File("run.dsm");
  {
    const ContactFile file(path, Example());
    std::filesystem::remove(path); // somebody cleaned up, and started another server
    WriteText(path, "another's");
  }
  EXPECT_EQ(ReadText(path), "another's");
}

TEST(ContactFile, NeverOverwritesOtherFiles)
{
  const TemporaryFolder folder;
  const std::string path = folder.File("result.h5");
  WriteText(path, "\x89HDF\r\n precious");
  TextOf(Fault::Usage, [&] { const ContactFile file(path, Example()); });
  EXPECT_EQ(ReadText(path), "\x89HDF\r\n precious");
  TextOf(Fault::Usage, [&] { const ContactFile file("/dev/null", Example()); });
}

TEST(ContactFile, WhoOpenedTheNameBeforeDoesNotGetTheKey)
{
  const TemporaryFolder folder;
  const std::string path = folder.File("run.dsm");
  WriteText(path, "");
  chmod(path.c_str(), 0644);
  std::ifstream early(path); // somebody waits for what is written there
  const ContactFile file(path, Example());
  std::stringstream seen;
  seen << early.rdbuf();
  EXPECT_EQ(seen.str(), "");
  ExpectEqual(ReadContact(path, Soon()), Example());
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.File("")), {}), 1);
}

TEST(ContactFile, ALinkThatSomebodyLaidIsNotFollowed)
{
  const TemporaryFolder folder;
  const std::string path = folder.File("run.dsm");
  for (const bool there : { false, true })
  {
    const std::string elsewhere = folder.File("elsewhere");
    if (there)
    {
      WriteText(elsewhere, "");
    }
    std::filesystem::remove(path);
    std::filesystem::create_symlink(elsewhere, path);
    const std::string text = TextOf(Fault::Usage, [&] { const ContactFile file(path, Example()); });
    EXPECT_TRUE(Contains(text, "symbolic link")) << text;
    EXPECT_EQ(std::filesystem::exists(elsewhere), there);
    EXPECT_EQ(ReadText(elsewhere), "");
  }
}

TEST(ContactFile, SaysWhyItCannotBeWritten)
{
  const TemporaryFolder folder;
  const std::string path = folder.File("missing/run.dsm");
  const std::string text = TextOf(Fault::System, [&] { const ContactFile file(path, Example()); });
  EXPECT_TRUE(Contains(text, path)) << text;
}

TEST(ReadContact, NamesTheFileThatIsNotThere)
{
  const TemporaryFolder folder;
  const std::string path = folder.File("run.dsm");
  const auto begin = Clock::now();
  const std::string text =
    TextOf(Fault::NoServer, [&] { ReadContact(path, Deadline(Seconds(30))); });
  EXPECT_TRUE(Contains(text, path) && Contains(text, "DSM_CONTACT")) << text;
  EXPECT_LT(SecondsSince(begin), AtOnce);
}

TEST(ReadContact, RefusesWhatIsNoContactFile)
{
  const TemporaryFolder folder;
  const std::string path = folder.File("run.dsm");
  for (const char* content : { "\x89HDF\r\n", "[1, 2]", "{\"Format\": \"other\"}", "{}" })
  {
    WriteText(path, content);
    const std::string text = TextOf(Fault::Refused, [&] { ReadContact(path, Soon()); });
    EXPECT_TRUE(Contains(text, path)) << text;
  }
  TextOf(Fault::Refused, [&] { ReadContact("/dev/null", Soon()); });
  TextOf(Fault::Refused, [&] { ReadContact("/tmp", Soon()); });
}

TEST(ReadContact, RefusesAFileThatOthersCanRead)
{
  const TemporaryFolder folder;
  const std::string path = folder.File("run.dsm");
  WriteText(path, Example().ToText());
  ReadContact(path, Soon());
  for (const mode_t mode : { 0640U, 0604U, 0620U })
  {
    chmod(path.c_str(), mode);
    const std::string text = TextOf(Fault::Refused, [&] { ReadContact(path, Soon()); });
    EXPECT_TRUE(Contains(text, "chmod 600 " + path)) << text;
  }
}

TEST(ReadContact, WaitsForAFileThatIsBeingWritten)
{
  const TemporaryFolder folder;
  const std::string path = folder.File("run.dsm");
  const std::string text = Example().ToText();
  for (const std::size_t already : { std::size_t(0), text.size() / 2 })
  {
    WriteText(path, text.substr(0, already));
    auto reader = std::async(std::launch::async, [&] { return ReadContact(path, Soon()); });
    EXPECT_EQ(reader.wait_for(std::chrono::milliseconds(50)), std::future_status::timeout);
    WriteText(path, text);
    ExpectEqual(reader.get(), Example());
  }
  WriteText(path, "");
  TextOf(Fault::Refused, [&] { ReadContact(path, Deadline(Seconds(0.1))); });
}

TEST(Contact, OtherVersionsAreRefusedInWords)
{
  std::string text = Example().ToText();
  const std::string mark = "\"Version\": 2";
  text.replace(text.find(mark), mark.size(), "\"Version\": 3");
  const std::string message = TextOf(Fault::Refused, [&] { Contact::FromText(text); });
  EXPECT_TRUE(Contains(message, "version 3")) << message;
}

TEST(Contact, KeysItDoesNotKnowAreIgnored)
{
  std::string text = Example().ToText();
  text.insert(text.find('{') + 1, "\"Tomorrow\": {\"a\": 1},");
  ExpectEqual(Contact::FromText(text), Example());
}

TEST(NodeIdentity, IsTheSameEachTime)
{
  EXPECT_FALSE(NodeIdentity().empty());
  EXPECT_EQ(NodeIdentity(), NodeIdentity());
}

TEST(ContactFile, AnInvitationIsPrivateAndReplacesNothing)
{
  const TemporaryFolder folder;
  const std::string path = folder.File("guest.dsm");
  Contact contact = Example();
  contact.Guest = "ada";
  WriteContact(path, contact);
  struct stat status = {};
  ASSERT_EQ(stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777U, 0600U);
  EXPECT_EQ(ReadContact(path, Soon()).Guest, "ada");
  EXPECT_TRUE(Contains(ReadText(path), "An invitation to a running")) << ReadText(path);
  EXPECT_FALSE(Contains(Example().ToText(), "Guest"));
  EXPECT_TRUE(Contains(
    TextOf(Fault::Usage, [&] { WriteContact(path, contact); }), "there is a file " + path));
  std::filesystem::create_symlink("nowhere", folder.File("link.dsm"));
  TextOf(Fault::Usage, [&] { WriteContact(folder.File("link.dsm"), contact); });
}

// Whether a text stands in memory that the kernel would put into a core dump.
bool IsDumped(std::string_view text)
{
  std::ifstream maps("/proc/self/smaps");
  std::ifstream memory("/proc/self/mem", std::ios::binary);
  unsigned long begin = 0;
  unsigned long end = 0;
  for (std::string line; std::getline(maps, line);)
  {
    char rights[5] = "";
    unsigned long first = 0;
    unsigned long last = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx %4s", &first, &last, rights) == 3)
    {
      begin = first;
      end = rights[0] == 'r' && rights[1] == 'w' ? last : first;
    }
    else if (line.starts_with("VmFlags:") && !Contains(line + " ", " dd ") && begin < end)
    {
      std::string bytes(end - begin, ' ');
      memory.clear();
      memory.seekg(static_cast<std::streamoff>(begin));
      memory.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
      bytes.resize(static_cast<std::size_t>(memory.gcount()));
      if (bytes.find(text) != std::string::npos)
      {
        return true;
      }
    }
  }
  return false;
}

TEST(ContactFile, LeavesItsKeyInNoMemoryThatIsDumped)
{
  const TemporaryFolder folder;
  const std::string path = folder.File("run.dsm");
  // By another process, which has the key in its memory.
  const pid_t child = fork();
  if (child == 0)
  {
    Contact contact = Example();
    contact.ClientSecretKey = KeyPair::New().Secret;
    WriteContact(path, contact);
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  const Contact contact = ReadContact(path, Soon());
  const Contact copy = contact;
  ASSERT_EQ(copy.ClientSecretKey.View().size(), 40u);
  EXPECT_FALSE(IsDumped(copy.ClientSecretKey.View()));
  const std::string known(copy.ClientSecretKey.View());
  EXPECT_TRUE(IsDumped(copy.ClientSecretKey.View())) << "what is on the heap is found";
}

TEST(ContactFile, AnInvitationForAGroupIsCopiedAndNotUsedAsItIs)
{
  const TemporaryFolder folder;
  const std::string path = folder.File("guest.dsm");
  Contact contact = Example();
  contact.Guest = "ada";
  WriteContact(path, contact, getgid());
  struct stat status = {};
  ASSERT_EQ(stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777U, 0640U);
  const std::string text = TextOf(Fault::Refused, [&] { ReadContact(path, Soon()); });
  EXPECT_TRUE(Contains(text, "install -m 600 " + path)) << text;
}

}
