// SPDX-License-Identifier: BSD-3-Clause
#include "Base/Error.h"
#include "Base/FileName.h"
#include "Driver/FileRouting.h"
#include "Encoding/Encoding.h"

#include <gtest/gtest.h>
#include <hdf5.h>

#include <algorithm>
#include <map>
#include <set>

namespace
{

using dsm::Route;

const unsigned ReadOnly = H5F_ACC_RDONLY;
const unsigned ReadWrite = H5F_ACC_RDWR;
const unsigned Truncate = H5F_ACC_RDWR | H5F_ACC_CREAT | H5F_ACC_TRUNC;
const unsigned Empty = H5F_ACC_RDWR | H5F_ACC_TRUNC; // and not created where there is none
const unsigned Exclusive = H5F_ACC_RDWR | H5F_ACC_CREAT | H5F_ACC_EXCL;

/// A world made by hand.
struct TestDirectory : dsm::SnapshotDirectory
{
  std::vector<std::string> Held;
  std::set<std::string> ContactFiles;
  std::set<std::string> Dead;
  std::set<std::string> Disk;
  std::set<std::string> Gone;
  std::string Pattern = "*";
  std::string PatternBefore = "*";
  std::map<std::string, dsm::Fault> Refusing;
  std::vector<std::string> WentOnWithout; ///< contacts, and why
  std::map<std::pair<std::string, std::string>, dsm::SnapshotId> Snapshots;
  std::map<std::string, dsm::PlaceholderContents> Placeholders;
  std::map<std::uint64_t, dsm::SnapshotId> Shown;  ///< the snapshots of images that are open
  std::set<dsm::SnapshotId> Evicted;               ///< of which no newer one is there
  std::map<std::string, dsm::SnapshotId> Versions; ///< of a master's time
  std::map<std::string, dsm::SnapshotId> PutThere; ///< by a server: the newest that it has of them
  std::vector<std::string> WaitedFor;              ///< contact, name, seconds
  bool Connected = true;
  std::set<std::string> Servers; ///< by their keys, each at the address that a placeholder has
  std::optional<std::string> Guests = "/guest.dsm"; ///< of whichever server
  std::string FolderReadOnly = "/read only";
  std::string FolderFull = "/full";
  std::string FolderMissing = "/missing";
  std::set<std::string> NamesHere; ///< files whose names were on a disk of this machine
  std::string LastFound;

  std::vector<std::string> ConnectedContacts() const override { return this->Held; }
  bool IsContactFile(const std::string& path) const override
  {
    return this->ContactFiles.count(path) > 0;
  }
  void RequireServer(const std::string& contact) override
  {
    if (this->Dead.count(contact) > 0)
    {
      throw dsm::Error(dsm::Fault::NoServer, "nobody answers at {}", contact);
    }
    if (const auto refusing = this->Refusing.find(contact); refusing != this->Refusing.end())
    {
      throw dsm::Error(refusing->second, "not by {}", contact);
    }
  }
  std::optional<dsm::SnapshotId> Newest(
    const std::string& contact, const std::string& fileName) override
  {
    this->RequireServer(contact);
    if (this->Gone.count(fileName) > 0)
    {
      throw dsm::Error(dsm::Fault::Gone, "{} is gone", fileName);
    }
    this->LastFound = fileName;
    const auto found = this->Snapshots.find({ contact, fileName });
    return found == this->Snapshots.end() ? std::nullopt : std::optional(found->second);
  }
  std::optional<dsm::SnapshotId> NewestOf(const std::string& contact, const std::string&,
    const dsm::PlaceholderContents& placeholder) override
  {
    const dsm::PlaceholderAddress& there = placeholder.Address;
    this->RequireServer(contact);
    if (this->Evicted.contains(there.Before.value_or(dsm::SnapshotId(0))))
    {
      throw dsm::Error(dsm::Fault::Gone, "it has left the ring");
    }
    const std::uint64_t image = there.Image.value_or(dsm::ImageId(0));
    const auto shown =
      this->Shown.find(image != 0 ? image : there.Before.value_or(dsm::SnapshotId(0)));
    return shown != this->Shown.end() ? shown->second : there.Before;
  }
  std::optional<dsm::SnapshotId> Version(
    const dsm::MasterFile& master, const std::string& fileName, dsm::SnapshotId known) override
  {
    this->RequireServer(master.Contact);
    const auto found = this->Versions.find(fileName);
    return found == this->Versions.end()
      ? std::nullopt
      : std::optional(dsm::SnapshotId(found->second + 100 * known));
  }
  bool NewestHadName() const override { return this->NamesHere.count(this->LastFound) > 0; }
  dsm::SnapshotId Next(
    const std::string& contact, const std::string& fileName, dsm::Seconds limit) override
  {
    this->WaitedFor.push_back(fmt::format("{} {} {}", contact, fileName, limit.count()));
    auto newest = this->Newest(contact, fileName).value_or(dsm::SnapshotId(1));
    return ++newest;
  }
  dsm::SnapshotId Latest(const std::string& contact) override
  {
    this->RequireServer(contact);
    dsm::SnapshotId newest = 0;
    for (const auto& [name, number] : this->Snapshots)
    {
      newest = name.first == contact ? std::max(newest, number) : newest;
    }
    return newest;
  }
  std::string Wanted(const std::string& contact) override
  {
    this->RequireServer(contact);
    return this->Pattern;
  }
  std::string WantedBefore(const std::string&) const override { return this->PatternBefore; }
  void GoOnWithout(const std::string& contact, const dsm::Error& why) override
  {
    this->WentOnWithout.push_back(contact + ": " + why.what());
  }
  bool OnDisk(const std::string& fileName) const override
  {
    return this->Disk.count(fileName) > 0 || this->Placeholders.count(fileName) > 0;
  }
  std::optional<PutFile> FindPut(
    const std::string& contact, const std::string& fileName, bool connect) override
  {
    const auto found = this->PutThere.find(fileName);
    const bool asked = (this->Connected || connect) && this->Dead.count(contact) == 0;
    return asked && found != this->PutThere.end()
      ? std::optional(PutFile{ found->second, { 7, 100, 5 } })
      : std::nullopt;
  }
  bool HasFolder(const std::string& fileName) const override
  {
    return !fileName.starts_with(this->FolderMissing);
  }
  bool CouldBeOnDisk(const std::string& fileName) const override
  {
    return !fileName.starts_with(this->FolderReadOnly);
  }
  bool LacksNames(const std::string& fileName) const override
  {
    return fileName.starts_with(this->FolderFull);
  }
  std::optional<dsm::PlaceholderContents> PlaceholderAt(const std::string& fileName) const override
  {
    const auto found = this->Placeholders.find(fileName);
    return found == this->Placeholders.end() ? std::nullopt : std::optional(found->second);
  }
  std::string ContactOf(
    const dsm::PlaceholderAddress& address, const std::optional<std::string>& preferred) override
  {
    if (preferred == this->Guests)
    {
      return *preferred;
    }
    this->RequireServer(address.Contact);
    if (this->Servers.count(address.Server) == 0)
    {
      throw dsm::Error(dsm::Fault::Refused, "another one is at {}", address.Contact);
    }
    return address.Contact;
  }
};

struct FileRouting : testing::Test
{
  TestDirectory There;
  dsm::RoutingSettings Settings;

  dsm::RoutingDecision Decide(const std::string& name, unsigned flags)
  {
    return dsm::DecideRoute(dsm::OpenRequest::FromFlags(name, flags), this->Settings, this->There);
  }

  void ExpectFault(dsm::Fault fault, const std::string& name, unsigned flags)
  {
    try
    {
      this->Decide(name, flags);
      FAIL() << name << " was routed";
    }
    catch (const dsm::Error& error)
    {
      EXPECT_EQ(fault, error.GetFault()) << error.what();
    }
  }
};

TEST_F(FileRouting, AFileThatASnapshotLeadsToIsReadAsItWasThen)
{
  this->There.Snapshots[{ "/run.dsm", "/sim/p.h5" }] = 9;
  this->There.Versions["/sim/p.h5"] = 4;
  this->There.Disk = { "/sim/p.h5", "/sim/plain.h5" };
  auto request = dsm::OpenRequest::FromFlags("/sim/p.h5", ReadOnly);
  request.Master = dsm::MasterFile{ "/run.dsm", 5 };
  const auto decide = [&] { return dsm::DecideRoute(request, this->Settings, this->There); };
  dsm::RoutingDecision then{ dsm::Route::Snapshot, "/run.dsm", 4 };
  EXPECT_EQ(then, decide());
  this->There.Versions["/sim/p.h5"] = 0; // that is on disk
  EXPECT_EQ(dsm::RoutingDecision{}, decide());
  request.SetName("/sim/plain.h5");
  EXPECT_EQ(dsm::RoutingDecision{}, decide());
}

TEST(MasterFile, FindsItsPartsInTheFolderOfTheSimulation)
{
  const dsm::MasterFile byNumber{ "/view/run.dsm", 5, "/view", "/sim" };
  EXPECT_EQ("/sim/p.h5", byNumber.Translated("/view/p.h5"));
  EXPECT_EQ("/sim/parts/p.h5", byNumber.Translated("/view/parts/p.h5"));
  EXPECT_EQ("/else/p.h5", byNumber.Translated("/else/p.h5"));
  EXPECT_EQ("/view/p.h5", (dsm::MasterFile{ "/view/run.dsm", 5 }).Translated("/view/p.h5"));
}

TEST(MasterFile, HasANumberOfItsOwn)
{
  const auto first = dsm::MasterFile::Enter({ "/run.dsm", 5 });
  EXPECT_EQ(first, dsm::MasterFile::Enter({ "/run.dsm", 5 }));
  EXPECT_NE(first, dsm::MasterFile::Enter({ "/run.dsm", 6 }));
  EXPECT_EQ(5u, dsm::MasterFile::Find(first)->Number);
  EXPECT_FALSE(dsm::MasterFile::Find(0));
}

TEST_F(FileRouting, WithoutContactEverythingIsForeign)
{
  for (const unsigned flags : { ReadOnly, ReadWrite, Truncate, Exclusive })
  {
    EXPECT_EQ(dsm::RoutingDecision{}, this->Decide("/tmp/a.h5", flags));
  }
}

TEST_F(FileRouting, TheServersPatternCountsForNewFilesUnlessTheEnvironmentHasOne)
{
  this->Settings.Contact = "/run.dsm";
  this->There.Pattern = "*.vtkhdf";
  this->There.Snapshots[{ "/run.dsm", "/out/kept.h5" }] = 4;
  EXPECT_EQ(Route::NewImage, this->Decide("/out/a.vtkhdf", Truncate).Where);
  EXPECT_EQ(dsm::RoutingDecision{}, this->Decide("/out/a.h5", Truncate));
  EXPECT_EQ(dsm::RoutingDecision{}, this->Decide("/out/a.h5", Exclusive));
  EXPECT_EQ(Route::ImageFromSnapshot, this->Decide("/out/kept.h5", ReadWrite).Where);
  EXPECT_EQ(Route::Snapshot, this->Decide("/out/kept.h5", ReadOnly).Where);
  this->Settings.Match = "*.h5";
  EXPECT_EQ(Route::NewImage, this->Decide("/out/a.h5", Truncate).Where);
  EXPECT_EQ(Route::Foreign, this->Decide("/out/a.vtkhdf", Truncate).Where);
  this->Settings.Match.reset();
  this->There.Dead.insert("/run.dsm");
  EXPECT_EQ(Route::Foreign, this->Decide("/out/a.h5", Truncate).Where);
  this->Settings.IfLost = dsm::WithoutServer::Fail;
  this->ExpectFault(dsm::Fault::NoServer, "/out/a.h5", Truncate);
}

TEST_F(FileRouting, InteractionsAreReadByTheNameOfAServer)
{
  EXPECT_EQ(Route::Foreign, this->Decide("dsm#Interactions", ReadOnly).Where);
  this->Settings.Contact = "/run.dsm";
  this->There.ContactFiles = { "/other.dsm" };
  EXPECT_EQ(Route::Interactions, this->Decide("dsm#Interactions", ReadOnly).Where);
  EXPECT_EQ("/run.dsm", this->Decide("dsm#Interactions", ReadOnly).Contact);
  EXPECT_EQ("/other.dsm", this->Decide("/other.dsm#Interactions", ReadOnly).Contact);
  EXPECT_EQ(Route::Foreign, this->Decide("/nothing.dsm#Interactions", ReadOnly).Where);
  this->ExpectFault(dsm::Fault::Usage, "dsm#Interactions", Truncate);
  this->ExpectFault(dsm::Fault::Usage, "dsm#Interactions", ReadWrite);
  this->There.Dead.insert("/run.dsm");
  EXPECT_EQ(Route::Foreign, this->Decide("dsm#Interactions", ReadOnly).Where);
  EXPECT_EQ(this->There.WentOnWithout.size(), 1u);
  this->Settings.IfLost = dsm::WithoutServer::Fail;
  this->ExpectFault(dsm::Fault::NoServer, "dsm#Interactions", ReadOnly);
}

TEST_F(FileRouting, CreatesImagesWherePatternFits)
{
  this->Settings.Contact = "/run.dsm";
  EXPECT_EQ(Route::NewImage, this->Decide("/out/a.h5", Truncate).Where);
  EXPECT_EQ("/run.dsm", this->Decide("/out/a.h5", Exclusive).Contact);
  this->Settings.Match = "*.vtkhdf:field*";
  EXPECT_EQ(Route::Foreign, this->Decide("/out/a.h5", Truncate).Where);
  EXPECT_EQ(Route::NewImage, this->Decide("/out/a.vtkhdf", Truncate).Where);
  EXPECT_EQ(Route::NewImage, this->Decide("/out/field.h5", Truncate).Where);
}

TEST_F(FileRouting, ReadsSnapshotsByFileName)
{
  this->Settings.Contact = "/run.dsm";
  this->There.Snapshots[{ "/run.dsm", "/out/a.h5" }] = 12;
  const auto decision = this->Decide("/out/a.h5", ReadOnly);
  EXPECT_EQ(Route::Snapshot, decision.Where);
  EXPECT_EQ(12u, decision.Number);
  EXPECT_EQ(Route::Foreign, this->Decide("/out/b.h5", ReadOnly).Where);
  EXPECT_EQ(Route::ImageFromSnapshot, this->Decide("/out/a.h5", ReadWrite).Where);
  EXPECT_EQ(Route::Foreign, this->Decide("/out/b.h5", ReadWrite).Where);
  EXPECT_EQ(Route::NewImage, this->Decide("/out/a.h5", Truncate).Where);
}

TEST_F(FileRouting, WhoReadsTheNextWaitsForWhatTheServerHasOrWillHave)
{
  this->Settings.Contact = "/run.dsm";
  this->Settings.NamesOnDisk = true;
  this->Settings.ReadsNext = true;
  this->Settings.ReadLimit = dsm::Seconds(7);
  this->There.Pattern = "/out/*";
  this->There.Snapshots[{ "/run.dsm", "/out/a.h5" }] = 12;
  this->There.Disk = { "/out/mesh.h5", "/out/put.h5" };
  this->There.PutThere = { { "/out/put.h5", dsm::SnapshotId(0) } };
  const auto next = this->Decide("/out/a.h5", ReadOnly);
  EXPECT_EQ(Route::Snapshot, next.Where);
  EXPECT_EQ(13u, next.Number);
  EXPECT_TRUE(next.Next);
  EXPECT_TRUE(this->Decide("/out/put.h5", ReadOnly).Next) << "the server has put it on disk";
  EXPECT_EQ(this->There.WaitedFor,
    (std::vector<std::string>{ "/run.dsm /out/a.h5 7", "/run.dsm /out/put.h5 7" }));
  // What is none of its files, and what is not only read.
  EXPECT_EQ(dsm::RoutingDecision{}, this->Decide("/out/mesh.h5", ReadOnly));
  EXPECT_EQ(dsm::RoutingDecision{}, this->Decide("/elsewhere/a.h5", ReadOnly));
  EXPECT_FALSE(this->Decide("/out/a.h5", ReadWrite).Next);
  EXPECT_EQ(Route::NewImage, this->Decide("/out/a.h5", Truncate).Where);
  EXPECT_EQ(this->There.WaitedFor.size(), 2u);
  this->Settings.Match = "/elsewhere/*";
  EXPECT_TRUE(this->Decide("/elsewhere/a.h5", ReadOnly).Next);
  this->Settings.Contact.reset();
  EXPECT_EQ(dsm::RoutingDecision{}, this->Decide("/elsewhere/a.h5", ReadOnly));
}

TEST_F(FileRouting, NamesAreComparedAbsolute)
{
  this->Settings.Contact = "/run.dsm";
  this->There.Snapshots[{ "/run.dsm", dsm::AbsoluteName("here.h5") }] = 3;
  EXPECT_EQ(3u, this->Decide("./x/../here.h5", ReadOnly).Number);
}

TEST_F(FileRouting, ReadsFromServersThisProcessHolds)
{
  this->There.Held = { "/one.dsm", "/two.dsm" };
  this->There.Snapshots[{ "/two.dsm", "/out/a.h5" }] = 5;
  const auto decision = this->Decide("/out/a.h5", ReadOnly);
  EXPECT_EQ(Route::Snapshot, decision.Where);
  EXPECT_EQ("/two.dsm", decision.Contact);
  // Such a process, ParaView's, writes its own files to disk.
  EXPECT_EQ(Route::Foreign, this->Decide("/out/a.h5", ReadWrite).Where);
  EXPECT_EQ(Route::Foreign, this->Decide("/out/a.h5", Truncate).Where);
}

TEST_F(FileRouting, SnapshotsByNumber)
{
  this->There.ContactFiles = { "/run.dsm" };
  const auto decision = this->Decide("/run.dsm#12", ReadOnly);
  EXPECT_EQ(Route::Snapshot, decision.Where);
  EXPECT_EQ("/run.dsm", decision.Contact);
  EXPECT_EQ(12u, decision.Number);
  this->ExpectFault(dsm::Fault::Usage, "/run.dsm#12", ReadWrite);
  this->ExpectFault(dsm::Fault::Usage, "/run.dsm#12", Truncate);
  // '#' is an ordinary character elsewhere.
  EXPECT_EQ(Route::Foreign, this->Decide("/data#12", ReadOnly).Where);
  this->There.ContactFiles.clear();
  this->There.Held = { "/run.dsm" };
  EXPECT_EQ(12u, this->Decide("/run.dsm#12", ReadOnly).Number);
}

TEST_F(FileRouting, ExclusiveFindsTheSnapshot)
{
  this->Settings.Contact = "/run.dsm";
  this->There.Snapshots[{ "/run.dsm", "/out/a.h5" }] = 1;
  this->ExpectFault(dsm::Fault::Usage, "/out/a.h5", Exclusive);
}

// Where names are on disk, a name that nothing has is free, whatever had it before.
TEST_F(FileRouting, CreatesAFileWhoseNameWasRemoved)
{
  this->Settings.Contact = "/run.dsm";
  this->Settings.NamesOnDisk = true;
  this->There.NamesHere = { "/out/a.h5", "/read only/a.h5" };
  for (const char* name : { "/out/a.h5", "/read only/a.h5", "/read only/unnamed.h5" })
  {
    this->There.Snapshots[{ "/run.dsm", name }] = 1;
  }
  for (const char* name : { "/out/a.h5", "/read only/a.h5" })
  {
    EXPECT_EQ(
      (dsm::RoutingDecision{ Route::NewImage, "/run.dsm", 0 }), this->Decide(name, Exclusive));
  }
  this->ExpectFault(dsm::Fault::Usage, "/read only/unnamed.h5", Exclusive);
}

TEST_F(FileRouting, AFileIsGoneWithItsFolder)
{
  this->Settings.Contact = "/run.dsm";
  this->Settings.NamesOnDisk = true;
  this->There.FolderReadOnly = this->There.FolderMissing;
  this->There.Snapshots[{ "/run.dsm", "/missing/a.h5" }] = 4;
  for (const unsigned flags : { ReadOnly, ReadWrite })
  {
    EXPECT_EQ(4u, this->Decide("/missing/a.h5", flags).Number) << "another machine's folder";
  }
  this->There.NamesHere = { "/missing/a.h5" };
  for (const unsigned flags : { ReadOnly, ReadWrite })
  {
    EXPECT_EQ(dsm::RoutingDecision{}, this->Decide("/missing/a.h5", flags));
  }
}

TEST_F(FileRouting, WithoutServerTheProgramGoesOn)
{
  this->Settings.Contact = "/run.dsm";
  this->There.Dead = { "/run.dsm" };
  EXPECT_EQ(dsm::RoutingDecision{}, this->Decide("/out/a.h5", Truncate));
  EXPECT_EQ(
    this->There.WentOnWithout, std::vector<std::string>{ "/run.dsm: nobody answers at /run.dsm" });
  EXPECT_EQ(dsm::RoutingDecision{}, this->Decide("/out/a.h5", Exclusive));
  // What is on disk is read there; what is not may have been in the server's memory.
  this->There.Disk = { "/out/a.h5" };
  EXPECT_EQ(Route::Foreign, this->Decide("/out/a.h5", ReadOnly).Where);
  EXPECT_EQ(Route::Foreign, this->Decide("/out/a.h5", ReadWrite).Where);
  this->ExpectFault(dsm::Fault::NoServer, "/out/b.h5", ReadOnly);
  this->ExpectFault(dsm::Fault::NoServer, "/out/b.h5", ReadWrite);
  // Another server may have it.
  this->There.Held = { "/other.dsm" };
  this->There.Snapshots[{ "/other.dsm", "/out/b.h5" }] = 3;
  EXPECT_EQ(Route::Snapshot, this->Decide("/out/b.h5", ReadOnly).Where);
}

TEST_F(FileRouting, WhateverIsWrongWithTheServerDoesNotStopTheProgram)
{
  this->Settings.Contact = "/run.dsm";
  this->There.Disk = { "/out/a.h5" };
  for (const auto fault : { dsm::Fault::NoServer, dsm::Fault::PeerLost, dsm::Fault::TimedOut,
         dsm::Fault::Refused, dsm::Fault::System, dsm::Fault::Unsupported })
  {
    this->There.Refusing["/run.dsm"] = fault;
    this->Settings.IfLost = dsm::WithoutServer::Disk;
    EXPECT_EQ(Route::Foreign, this->Decide("/out/b.h5", Truncate).Where);
    EXPECT_EQ(Route::Foreign, this->Decide("/out/a.h5", ReadOnly).Where);
    this->Settings.IfLost = dsm::WithoutServer::Discard;
    EXPECT_EQ(Route::Discarded, this->Decide("/out/b.h5", Truncate).Where);
    this->Settings.IfLost = dsm::WithoutServer::Fail;
    this->ExpectFault(fault, "/out/b.h5", Truncate);
    this->Settings.IfLost = dsm::WithoutServer::Wait;
    this->ExpectFault(fault, "/out/b.h5", Truncate); // for who waits
  }
}

TEST_F(FileRouting, OnlyWhatWouldHaveGoneToTheServerIsDiscarded)
{
  this->Settings.Contact = "/run.dsm";
  this->Settings.IfLost = dsm::WithoutServer::Discard;
  this->There.Dead = { "/run.dsm" };
  EXPECT_EQ(Route::Discarded, this->Decide("/out/a.h5", Truncate).Where);
  this->There.PatternBefore = "*.vtkhdf";
  EXPECT_EQ(Route::Foreign, this->Decide("/out/a.h5", Truncate).Where);
  EXPECT_EQ(Route::Discarded, this->Decide("/out/a.vtkhdf", Exclusive).Where);
  this->Settings.Match = "*.h5";
  EXPECT_EQ(Route::Discarded, this->Decide("/out/a.h5", Truncate).Where);
  EXPECT_EQ(Route::Foreign, this->Decide("/out/a.vtkhdf", Truncate).Where);
  // Nothing is discarded that is only read or changed.
  this->There.Disk = { "/out/a.h5" };
  EXPECT_EQ(Route::Foreign, this->Decide("/out/a.h5", ReadWrite).Where);
}

TEST_F(FileRouting, OnlyTheNamedServerIsMissed)
{
  this->There.Held = { "/other.dsm" };
  this->There.Dead = { "/other.dsm" };
  this->There.Disk = { "/out/a.h5" };
  EXPECT_EQ(Route::Foreign, this->Decide("/out/a.h5", ReadOnly).Where);
  EXPECT_TRUE(this->There.WentOnWithout.empty());
}

TEST_F(FileRouting, NoServerIsAnErrorWhereThatIsChosen)
{
  this->Settings.Contact = "/run.dsm";
  this->Settings.IfLost = dsm::WithoutServer::Fail;
  this->There.Dead = { "/run.dsm" };
  this->ExpectFault(dsm::Fault::NoServer, "/out/a.h5", Truncate);
  this->ExpectFault(dsm::Fault::NoServer, "/out/a.h5", ReadOnly);
  this->There.Disk = { "/out/a.h5" };
  EXPECT_EQ(Route::Foreign, this->Decide("/out/a.h5", ReadOnly).Where);
  EXPECT_EQ(Route::Foreign, this->Decide("/out/a.h5", ReadWrite).Where);
  this->ExpectFault(dsm::Fault::NoServer, "/out/a.h5", Truncate);
  EXPECT_TRUE(this->There.WentOnWithout.empty());
}

TEST_F(FileRouting, DecisionsTravel)
{
  dsm::RoutingDecision decision;
  EXPECT_EQ(decision, dsm::Decode<dsm::RoutingDecision>(dsm::Encode(decision), "it"));
  decision.Where = Route::ImageFromSnapshot;
  decision.Contact = "/tmp/\xff odd\nname";
  decision.Number = dsm::SnapshotId(UINT64_MAX);
  EXPECT_EQ(decision, dsm::Decode<dsm::RoutingDecision>(dsm::Encode(decision), "it"));
}

TEST_F(FileRouting, SettingsFromEnvironment)
{
  setenv("DSM_CONTACT", "/env.dsm", 1);
  const auto settings = dsm::RoutingSettings::FromEnvironment("");
  EXPECT_EQ("/env.dsm", settings.Contact);
  EXPECT_EQ(dsm::WithoutServer::Disk, settings.IfLost);
  EXPECT_EQ("/list.dsm", dsm::RoutingSettings::FromEnvironment("/list.dsm").Contact);
  for (const auto policy : { dsm::WithoutServer::Disk, dsm::WithoutServer::Fail,
         dsm::WithoutServer::Wait, dsm::WithoutServer::Discard })
  {
    setenv("DSM_WITHOUT_SERVER", dsm::WithoutServerText(policy), 1);
    EXPECT_EQ(policy, dsm::RoutingSettings::FromEnvironment("").IfLost);
  }
  setenv("DSM_WITHOUT_SERVER", "maybe", 1);
  EXPECT_THROW(dsm::RoutingSettings::FromEnvironment(""), dsm::Error);
  unsetenv("DSM_CONTACT");
  unsetenv("DSM_WITHOUT_SERVER");
}

TEST_F(FileRouting, LatestIsTheNewestOfAServer)
{
  EXPECT_EQ(Route::Foreign, this->Decide("/run.dsm#latest", ReadOnly).Where);
  this->There.ContactFiles = { "/run.dsm" };
  this->There.Snapshots[{ "/run.dsm", "/out/a.h5" }] = 4;
  this->There.Snapshots[{ "/run.dsm", "/out/b.h5" }] = 7;
  this->There.Snapshots[{ "/other.dsm", "/out/c.h5" }] = 9;
  EXPECT_EQ((dsm::RoutingDecision{ Route::Snapshot, "/run.dsm", 7 }),
    this->Decide("/run.dsm#latest", ReadOnly));
  this->ExpectFault(dsm::Fault::Usage, "/run.dsm#latest", ReadWrite);
  this->ExpectFault(dsm::Fault::Usage, "/run.dsm#latest", Truncate);
}

TEST_F(FileRouting, WhatIsEmptiedHasToBeThere)
{
  this->Settings.Contact = "/run.dsm";
  for (const bool names : { false, true })
  {
    this->Settings.NamesOnDisk = names;
    EXPECT_EQ(Route::Foreign, this->Decide("/out/none.h5", Empty).Where);
  }
  this->There.Disk = { "/out/disk.h5" };
  EXPECT_EQ(Route::NewImage, this->Decide("/out/disk.h5", Empty).Where);
  this->There.Placeholders["/out/a.h5"] = { { "/run.dsm", "key", 7 } };
  EXPECT_EQ(Route::NewImage, this->Decide("/out/a.h5", Empty).Where);
  this->Settings.NamesOnDisk = false;
  this->There.Snapshots[{ "/run.dsm", "/out/b.h5" }] = 4;
  EXPECT_EQ(
    (dsm::RoutingDecision{ Route::NewImage, "/run.dsm", 0 }), this->Decide("/out/b.h5", Empty));
}

// Whatever else there is on disk of the name, and whatever the policy.
TEST_F(FileRouting, WhatHasLeftTheRingIsNoOtherFile)
{
  this->Settings.Contact = "/run.dsm";
  this->There.Gone = { "/out/a.h5" };
  this->There.Disk = { "/out/a.h5" };
  for (const auto policy : { dsm::WithoutServer::Disk, dsm::WithoutServer::Fail })
  {
    this->Settings.IfLost = policy;
    this->ExpectFault(dsm::Fault::Gone, "/out/a.h5", ReadOnly);
    this->ExpectFault(dsm::Fault::Gone, "/out/a.h5", ReadWrite);
    EXPECT_EQ(Route::NewImage, this->Decide("/out/a.h5", Truncate).Where);
    EXPECT_EQ(Route::NewImage, this->Decide("/out/a.h5", Exclusive).Where);
  }
  EXPECT_TRUE(this->There.WentOnWithout.empty());
}

// HDF5 says of it what it says without us.
TEST_F(FileRouting, AFolderThatIsNotThereTakesNoFileAsOnDisk)
{
  this->Settings.Contact = "/run.dsm";
  this->There.Snapshots[{ "/run.dsm", "/missing/old.h5" }] = 4;
  EXPECT_EQ(Route::NewImage, this->Decide("/missing/a.h5", Truncate).Where);
  this->Settings.NamesOnDisk = true;
  for (const unsigned flags : { Truncate, Exclusive })
  {
    EXPECT_EQ(dsm::RoutingDecision{}, this->Decide("/missing/a.h5", flags));
  }
}

// With names on disk, what a placeholder names is the file, and no other of the name.
TEST_F(FileRouting, PlaceholdersSayWhichSnapshot)
{
  this->Settings.Contact = "/run.dsm";
  this->There.Servers = { "key" };
  this->There.Snapshots[{ "/run.dsm", "/out/a.h5" }] = 9;
  this->There.Placeholders["/out/renamed.h5"] = { { "/run.dsm", "key", 7 } };
  this->There.Placeholders["/out/renamed.h5"].Identity = "one file";
  dsm::RoutingDecision seven{ Route::Snapshot, "/run.dsm", 7 };
  seven.There = this->There.Placeholders.at("/out/renamed.h5");
  dsm::RoutingDecision changed = seven;
  changed.Where = Route::ImageFromSnapshot;
  // Also for who has no settings: a viewer, say, or a program with another server.
  for (const auto& contact : { std::optional<std::string>("/run.dsm"), std::optional<std::string>(),
         std::optional<std::string>("/other.dsm") })
  {
    this->Settings.Contact = contact;
    for (const bool names : { false, true })
    {
      this->Settings.NamesOnDisk = names;
      EXPECT_EQ(seven, this->Decide("/out/renamed.h5", ReadOnly));
      EXPECT_EQ(changed, this->Decide("/out/renamed.h5", ReadWrite));
    }
  }
  this->Settings.Contact = "/guest.dsm";
  EXPECT_EQ("/guest.dsm", this->Decide("/out/renamed.h5", ReadOnly).Contact);
  this->Settings.Contact = "/run.dsm";
  EXPECT_EQ(Route::NewImage, this->Decide("/out/renamed.h5", Truncate).Where);
  this->ExpectFault(dsm::Fault::Usage, "/out/renamed.h5", Exclusive);
}

TEST_F(FileRouting, NamesWithoutAPlaceholderAreFilesOnDiskOrNone)
{
  this->Settings.Contact = "/run.dsm";
  this->Settings.NamesOnDisk = true;
  for (const char* name :
    { "/out/removed.h5", "/out/saved.h5", "/read only/a.h5", "/full/a.h5", "/full/older.h5" })
  {
    this->There.Snapshots[{ "/run.dsm", name }] = 9;
  }
  this->There.Disk = { "/out/saved.h5", "/full/older.h5" };
  for (const unsigned flags : { ReadOnly, ReadWrite })
  {
    EXPECT_EQ(Route::Foreign, this->Decide("/out/removed.h5", flags).Where);
    EXPECT_EQ(Route::Foreign, this->Decide("/out/saved.h5", flags).Where);
    EXPECT_EQ(9u, this->Decide("/read only/a.h5", flags).Number);
    EXPECT_EQ(9u, this->Decide("/full/a.h5", flags).Number);
    EXPECT_EQ(9u, this->Decide("/full/older.h5", flags).Number);
  }
  this->ExpectFault(dsm::Fault::Usage, "/out/saved.h5", Exclusive);
  EXPECT_EQ(Route::NewImage, this->Decide("/out/saved.h5", Truncate).Where);
}

TEST_F(FileRouting, PlaceholdersOfNoSnapshotYetAndOfLostServers)
{
  this->Settings.Contact = "/run.dsm";
  this->There.Servers = { "key" };
  this->There.Placeholders["/out/open.h5"] = { { "/run.dsm", "key", 0 } };
  this->There.Placeholders["/out/older.h5"] = { { "/run.dsm", "another key", 7 } };
  this->ExpectFault(dsm::Fault::Refused, "/out/open.h5", ReadOnly);
  this->There.Snapshots[{ "/run.dsm", "/out/open.h5" }] = 3; // a removed file's
  this->ExpectFault(dsm::Fault::Refused, "/out/open.h5", ReadOnly);
  this->There.Placeholders["/out/open.h5"].Address.Image = dsm::ImageId(5);
  this->There.Placeholders["/out/open.h5"].Address.Before = dsm::SnapshotId(3);
  EXPECT_EQ(3u, this->Decide("/out/open.h5", ReadOnly).Number);
  this->There.Shown[5] = 4;
  EXPECT_EQ(4u, this->Decide("/out/open.h5", ReadOnly).Number);
  this->ExpectFault(dsm::Fault::Refused, "/out/older.h5", ReadOnly);
  this->ExpectFault(dsm::Fault::Refused, "/out/older.h5", ReadWrite);
  this->There.Dead.insert("/run.dsm");
  this->ExpectFault(dsm::Fault::NoServer, "/out/open.h5", ReadOnly);
}

// Its writer has made another version meanwhile, and has not entered it yet, or only in part.
TEST_F(FileRouting, APlaceholderOfAVersionThatLeftLeadsToANewerOne)
{
  this->There.Servers = { "key" };
  this->There.Placeholders["/out/a.h5"] = { { "/run.dsm", "key", 7 },
    dsm::PlaceholderState::Dropped };
  this->There.Placeholders["/out/a.h5"].Address.Place = dsm::SlotAddress{};
  this->ExpectFault(dsm::Fault::Gone, "/out/a.h5", ReadOnly);
  this->There.Held = { "/run.dsm" };
  EXPECT_EQ(this->Decide("/out/a.h5", ReadOnly).Number, 7u);
  this->There.Shown[7] = 8;
  const auto read = this->Decide("/out/a.h5", ReadOnly);
  EXPECT_EQ(read.Where, Route::Snapshot);
  EXPECT_EQ(read.Number, 8u);
  EXPECT_FALSE(read.Place) << "it is somewhere else";
  EXPECT_EQ(this->Decide("/out/a.h5", ReadWrite).Number, 8u);
  this->There.Evicted = { 7 };
  this->ExpectFault(dsm::Fault::Gone, "/out/a.h5", ReadOnly);
  this->There.Evicted.clear();
  this->There.Dead = { "/run.dsm" };
  this->ExpectFault(dsm::Fault::Gone, "/out/a.h5", ReadOnly);
}

// Nobody is asked for what is no more, and no other file of the name takes its place.

TEST_F(FileRouting, PlaceholdersSayThatTheirFileIsNoMore)
{
  this->Settings.Contact = "/run.dsm";
  this->There.Servers = { "key" };
  this->There.Snapshots[{ "/run.dsm", "/out/a.h5" }] = 9;
  for (const auto state : { dsm::PlaceholderState::Dropped, dsm::PlaceholderState::ServerEnded,
         dsm::PlaceholderState::Unfinished })
  {
    this->There.Placeholders["/out/a.h5"] = { { "/run.dsm", "key", 7 }, state };
    this->ExpectFault(dsm::Fault::Gone, "/out/a.h5", ReadOnly);
    this->ExpectFault(dsm::Fault::Gone, "/out/a.h5", ReadWrite);
    EXPECT_EQ(Route::NewImage, this->Decide("/out/a.h5", Truncate).Where);
  }
}

// A whole file there may be the server's, and older than what that has in memory.
TEST_F(FileRouting, WhatTheServerHasPutOnDiskIsStillItsFile)
{
  this->Settings.Contact = "/run.dsm";
  this->Settings.NamesOnDisk = true;
  this->There.Disk = { "/out/a.h5", "/out/input.h5" };
  this->There.PutThere["/out/a.h5"] = 9;
  const auto read = this->Decide("/out/a.h5", ReadOnly);
  EXPECT_EQ(Route::Snapshot, read.Where);
  EXPECT_EQ(9u, read.Number);
  const auto changed = this->Decide("/out/a.h5", ReadWrite);
  EXPECT_EQ(Route::ImageFromSnapshot, changed.Where);
  EXPECT_EQ(9u, changed.Number);
  EXPECT_EQ(changed.Put, (dsm::FileMark{ 7, 100, 5 }));
  EXPECT_EQ(Route::NewImage, this->Decide("/out/a.h5", Truncate).Where);
  this->ExpectFault(dsm::Fault::Usage, "/out/a.h5", Exclusive);
  EXPECT_EQ(Route::Foreign, this->Decide("/out/input.h5", ReadWrite).Where);
  // It has left the memory.
  this->There.PutThere["/out/a.h5"] = 0;
  EXPECT_EQ(dsm::RoutingDecision{}, this->Decide("/out/a.h5", ReadOnly));
  EXPECT_EQ(dsm::RoutingDecision{}, this->Decide("/out/a.h5", ReadWrite));
}

TEST_F(FileRouting, WhoMayAskWhetherAFileIsTheServers)
{
  this->Settings.Contact = "/run.dsm";
  this->Settings.NamesOnDisk = true;
  this->There.Disk = { "/out/a.h5" };
  this->There.PutThere["/out/a.h5"] = 9;
  this->There.Connected = false;
  EXPECT_EQ(Route::Foreign, this->Decide("/out/a.h5", ReadOnly).Where) << "it only reads";
  EXPECT_EQ(Route::ImageFromSnapshot, this->Decide("/out/a.h5", ReadWrite).Where);
  this->Settings.Match = "*.vtkhdf";
  EXPECT_EQ(Route::Foreign, this->Decide("/out/a.h5", ReadWrite).Where) << "none of its names";
  this->Settings.Match.reset();
  this->There.Dead.insert("/run.dsm");
  EXPECT_EQ(Route::Foreign, this->Decide("/out/a.h5", ReadWrite).Where);
}

}
