// SPDX-License-Identifier: BSD-3-Clause
#include "Base/Error.h"
#include "Base/FileDescriptor.h"
#include "Base/FileIdentity.h"
#include "Base/FileMark.h"
#include "Base/FileUpdate.h"
#include "Driver/OpenFile.h"
#include "Driver/Placeholder.h"
#include "Server/PlaceholderTeller.h"

#include <gtest/gtest.h>
#include <hdf5.h>

#include <filesystem>
#include <fstream>
#include <future>
#include <iterator>
#include <memory>
#include <thread>

#include <fcntl.h>
#include <sys/file.h>

namespace
{

using dsm::Placeholder;
using dsm::PlaceholderAddress;
using dsm::PlaceholderState;
using dsm::PlaceholderTeller;

// Where the bytes are, by what is there now; nowhere where that is no more.
std::optional<PlaceholderAddress> AddressAt(const std::filesystem::path& path)
{
  const auto there = Placeholder::Read(path);
  return there && there->State == PlaceholderState::InMemory ? std::optional(there->Address)
                                                             : std::nullopt;
}

struct Placeholders : testing::Test
{
  void SetUp() override
  {
    std::string name = std::filesystem::temp_directory_path() / "dsm-placeholder-XXXXXX";
    ASSERT_NE(nullptr, mkdtemp(name.data()));
    this->Folder = name;
    this->File = this->Folder / "sim.h5";
  }
  void TearDown() override { std::filesystem::remove_all(this->Folder); }

  // What the file says to a person, as any HDF5 shows it.
  std::string Said() const
  {
    const hid_t file = H5Fopen(this->File.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    const hid_t text = H5Aopen(file, "ParaView DSM", H5P_DEFAULT);
    const hid_t type = H5Aget_type(text);
    std::string said(H5Tget_size(type), '\0');
    EXPECT_GE(H5Aread(text, type, said.data()), 0);
    H5Tclose(type);
    H5Aclose(text);
    EXPECT_GE(H5Fclose(file), 0);
    return said;
  }

  std::filesystem::path Folder;
  std::filesystem::path File;
  const PlaceholderAddress New{ "/a folder/\"run\".dsm", "public key", 0 };
  const PlaceholderAddress Seventh{ "/a folder/\"run\".dsm", "public key", 7 };
};

TEST_F(Placeholders, SayWhereTheBytesAre)
{
  Placeholder file(this->File);
  file.Put(this->New);
  EXPECT_EQ(this->New, AddressAt(this->File));
  file.Tell(7, 1 << 20);
  EXPECT_EQ(this->Seventh, AddressAt(this->File));
  EXPECT_EQ(std::uintmax_t(1) << 20, std::filesystem::file_size(this->File));
  PlaceholderAddress eighth{ this->Seventh.Contact, "public key", 8 };
  eighth.Place = dsm::SlotAddress{ "session", 1 << 20, 3, 4, {} };
  file.Tell(8, 1 << 20, eighth.Place);
  EXPECT_EQ(eighth, AddressAt(this->File));
}

TEST_F(Placeholders, AreNoPlainFiles)
{
  std::optional<dsm::FileMark> plain;
  EXPECT_FALSE(Placeholder::Read(this->File, plain));
  EXPECT_FALSE(plain);
  std::ofstream(this->File) << "no placeholder";
  EXPECT_FALSE(Placeholder::Read(this->File, plain));
  EXPECT_EQ(plain, dsm::FileMark::Of(this->File));
  Placeholder file(this->File);
  file.Put(this->New);
  EXPECT_TRUE(Placeholder::Read(this->File, plain));
  EXPECT_FALSE(plain);
}

TEST_F(Placeholders, AreToldFromAllOtherFilesWhateverTheyAreCalled)
{
  Placeholder file(this->File);
  file.Put(this->New);
  const std::string identity = Placeholder::Read(this->File).value().Identity;
  EXPECT_EQ(dsm::FileIdentity(this->File), identity);
  const auto moved = this->Folder / "moved.h5";
  std::filesystem::rename(this->File, moved);
  Placeholder(this->File).Put(this->New);
  EXPECT_EQ(identity, Placeholder::Read(moved).value().Identity);
}

// Another program moves files between the look at a name and HDF5's look.
TEST_F(Placeholders, AreKnownByWhatHdf5HasOpened)
{
  dsm::AccessList access;
  EXPECT_FALSE(dsm::MayBeInMemory(this->File, std::nullopt, access));
  Placeholder file(this->File);
  file.Put(this->New);
  EXPECT_TRUE(dsm::MayBeInMemory(this->File, std::nullopt, access));
  const dsm::FileDescriptor opened(open(this->File.c_str(), O_RDONLY));
  access.Foreign = dsm::FileMark{ 1, 2, 3 };
  std::filesystem::remove(this->File);
  EXPECT_FALSE(dsm::MayBeInMemory(this->File, std::nullopt, access));
  EXPECT_TRUE(dsm::MayBeInMemory(this->File, opened.Get(), access));
  std::ofstream(this->File) << "no placeholder";
  const dsm::FileDescriptor other(open(this->File.c_str(), O_RDONLY));
  EXPECT_TRUE(dsm::MayBeInMemory(this->File, other.Get(), access)) << "not the file of the look";
  access.Foreign = dsm::FileMark::Of(this->File);
  std::ofstream(this->File, std::ios::app) << ", which grows";
  EXPECT_FALSE(dsm::MayBeInMemory(this->File, other.Get(), access));
  EXPECT_FALSE(dsm::MayBeInMemory(this->File, std::nullopt, access));
}

TEST_F(Placeholders, AreFilesOfHdf5)
{
  {
    Placeholder file(this->File);
    file.Put(this->New);
    file.Tell(7, 1 << 20);
  }
  EXPECT_GT(H5Fis_accessible(this->File.c_str(), H5P_DEFAULT), 0);
  EXPECT_NE(std::string::npos, this->Said().find("Open it in ParaView")) << this->Said();
}

// What the server does when the snapshot leaves its ring, or it ends.
TEST_F(Placeholders, AreToldWhatBecameOfTheirSnapshot)
{
  for (const auto state :
    { PlaceholderState::Dropped, PlaceholderState::ServerEnded, PlaceholderState::Unfinished })
  {
    Placeholder file(this->File);
    file.Put(this->New);
    file.Tell(7, 1 << 20);
    PlaceholderTeller teller;
    teller.Tell(this->File, { {}, "another key", 7 }, state);
    teller.Tell(this->File, { {}, "public key", 6 }, state);
    teller.Tell(this->Folder / "none.h5", { {}, "public key", 7 }, state);
    teller.Finish();
    EXPECT_EQ(this->Seventh, AddressAt(this->File));

    PlaceholderTeller last;
    last.Tell(this->File, { {}, "public key", 7 }, state);
    last.Finish();
    const auto there = Placeholder::Read(this->File);
    ASSERT_TRUE(there);
    EXPECT_EQ(this->Seventh, there->Address);
    EXPECT_EQ(state, there->State);
    EXPECT_EQ(std::uintmax_t(1) << 20, std::filesystem::file_size(this->File));
    EXPECT_NE(std::string::npos, this->Said().find(dsm::PlaceholderEnd(state))) << this->Said();
    // A file of that name that is written again is in memory again.
    file.Tell(8, 1 << 20);
    EXPECT_EQ(
      (PlaceholderAddress{ this->Seventh.Contact, "public key", 8 }), AddressAt(this->File));
  }
}

TEST_F(Placeholders, GoWhereNothingBecameOfThem)
{
  {
    Placeholder file(this->File);
    file.Put(this->New);
    EXPECT_TRUE(std::filesystem::exists(this->File));
  }
  EXPECT_FALSE(std::filesystem::exists(this->File));
  // What readers see meanwhile stays.
  {
    Placeholder file(this->File);
    file.Put(this->New);
    file.Tell(7, 1 << 20);
  }
  {
    Placeholder file(this->File);
    file.Put(this->Seventh);
    EXPECT_EQ(this->Seventh, AddressAt(this->File));
  }
  EXPECT_EQ(this->Seventh, AddressAt(this->File));
  EXPECT_EQ(std::uintmax_t(1) << 20, std::filesystem::file_size(this->File));
  // Another file has come under the name.
  {
    Placeholder file(this->File);
    file.Put(this->New);
    std::ofstream(this->File.string() + ".other") << "mine";
    std::filesystem::rename(this->File.string() + ".other", this->File);
  }
  EXPECT_TRUE(std::filesystem::exists(this->File));
}

TEST_F(Placeholders, StandForWhatTheyWereBeforeWhereNothingBecameOfThem)
{
  {
    Placeholder file(this->File);
    file.Put(this->New);
    file.Tell(7, 1 << 20);
  }
  PlaceholderAddress begun = this->New;
  begun.Image = dsm::ImageId(3);
  {
    Placeholder file(this->File);
    file.Put(begun);
    EXPECT_EQ(AddressAt(this->File)->Before, 7u);
  }
  EXPECT_EQ(this->Seventh, AddressAt(this->File));
  EXPECT_EQ(std::uintmax_t(1) << 20, std::filesystem::file_size(this->File));
  {
    Placeholder file(this->File);
    file.Put(begun);
    file.Leave();
  }
  EXPECT_EQ(AddressAt(this->File)->Number, 0u) << "its server has a snapshot of it";
}

// What the server does when a writer ends without closing its file.
TEST_F(Placeholders, AreToldWhatBecameOfAnUnfinishedFile)
{
  struct Case
  {
    dsm::ImageId Image;      ///< that the placeholder was made for; 0: it is snapshot 7
    dsm::ImageId Told;       ///< image that ended
    dsm::SnapshotId Before;  ///< as the server knows it
    dsm::SnapshotId Number;  ///< snapshot that it became; 0: none
    dsm::SnapshotId Becomes; ///< snapshot that the placeholder names; 0: none
    PlaceholderState State;  ///< of the placeholder
  };
  constexpr auto inMemory = PlaceholderState::InMemory;
  for (const Case& one : {
         Case{ 3, 3, 0, 8, 8, inMemory },
         Case{ 3, 4, 0, 8, 0, inMemory }, // another writer has the name
         Case{ 3, 3, 0, 0, 0, PlaceholderState::Unfinished },
         Case{ 3, 4, 0, 0, 0, inMemory },
         Case{ 0, 3, 7, 8, 8, inMemory }, // the file was written further
         Case{ 0, 3, 6, 8, 7, inMemory },
         Case{ 0, 3, 0, 0, 7, inMemory },
       })
  {
    PlaceholderAddress address = one.Image == 0 ? this->Seventh : this->New;
    if (one.Image != 0)
    {
      address.Image = one.Image;
    }
    Placeholder file(this->File);
    file.Put(address);
    file.Leave();
    PlaceholderTeller teller;
    PlaceholderAddress told;
    told.Server = "public key";
    told.Number = one.Number;
    told.Image = one.Told;
    told.Before = one.Before;
    teller.TellUnfinished(this->File, told, 1 << 20);
    teller.Finish();
    const auto there = Placeholder::Read(this->File);
    ASSERT_TRUE(there);
    EXPECT_EQ(there->Address.Number, one.Becomes) << one.Told << " " << one.Before;
    EXPECT_EQ(there->State, one.State) << one.Told << " " << one.Number;
    EXPECT_EQ(there->Address.Contact, this->New.Contact);
    if (one.Becomes == 8)
    {
      EXPECT_EQ(std::uintmax_t(1) << 20, std::filesystem::file_size(this->File));
    }
    std::filesystem::remove(this->File);
  }
}

TEST_F(Placeholders, GoWithTheirFileWhereItIsRenamed)
{
  Placeholder file(this->File);
  file.Put(this->New);
  const auto other = this->Folder / "other.h5";
  std::filesystem::rename(this->File, other);
  file.Tell(7, 100);
  EXPECT_EQ(this->Seventh, AddressAt(other));
  std::filesystem::copy_file(other, this->File);
  EXPECT_EQ(this->Seventh, AddressAt(this->File));
  EXPECT_LT(std::filesystem::file_size(other), 16384u);
}

TEST_F(Placeholders, AreMadeWhereTheFileWouldBe)
{
  const auto target = this->Folder / "target.h5";
  std::filesystem::create_symlink(target, this->File);
  {
    Placeholder file(this->File);
    file.Put(this->New);
    EXPECT_TRUE(std::filesystem::exists(target));
  }
  EXPECT_FALSE(std::filesystem::exists(target));
  Placeholder file(this->File);
  file.Put(this->Seventh);
  EXPECT_TRUE(std::filesystem::is_symlink(this->File));
  EXPECT_EQ(this->Seventh, AddressAt(target));
  EXPECT_THROW(Placeholder(this->Folder / "none" / "a.h5"), dsm::Error);
  EXPECT_THROW(Placeholder{ this->Folder }, dsm::Error);
}

TEST_F(Placeholders, LeaveNothingWhereTheyCannotBeWritten)
{
  const PlaceholderAddress longer{ std::string(8192, 'x'), "public key", 0 };
  EXPECT_THROW(Placeholder(this->File).Put(longer), dsm::Error);
  EXPECT_FALSE(std::filesystem::exists(this->File));
}

TEST_F(Placeholders, TakeANameAsItIsAskedFor)
{
  EXPECT_THROW(Placeholder(this->File, Placeholder::Name::Taken), dsm::Error);
  EXPECT_FALSE(std::filesystem::exists(this->File));
  {
    const Placeholder file(this->File, Placeholder::Name::Free);
    EXPECT_TRUE(std::filesystem::exists(this->File));
    EXPECT_THROW(Placeholder(this->File, Placeholder::Name::Free), dsm::Error);
    const Placeholder same(this->File, Placeholder::Name::Taken);
    EXPECT_EQ(file.There("key").File, same.There("key").File);
  }
  EXPECT_FALSE(std::filesystem::exists(this->File)) << "nothing was put into it";
}

TEST_F(Placeholders, LeaveWhatAnotherImageHasLocked)
{
  {
    Placeholder file(this->File);
    file.Leave();
  }
  EXPECT_TRUE(std::filesystem::exists(this->File));
  {
    Placeholder other(this->File);
    other.Put(this->Seventh);
    const Placeholder refused(this->File);
    EXPECT_EQ(refused.Found()->Address.Number, 7u);
    EXPECT_EQ(refused.There("public key").Before, 7u);
    EXPECT_EQ(refused.There("another key").Before, 0u);
  }
  EXPECT_EQ(this->Seventh, AddressAt(this->File));
}

// The identity stays with the file, and the next one of its name has another.
TEST_F(Placeholders, AreKnownByTheirFile)
{
  const Placeholder file(this->File);
  const std::string identity = file.There("key").File;
  EXPECT_FALSE(identity.empty());
  std::filesystem::rename(this->File, this->Folder / "renamed.h5");
  EXPECT_EQ(identity, Placeholder(this->Folder / "renamed.h5").There("key").File);
  EXPECT_NE(identity, Placeholder(this->File).There("key").File);
  std::ofstream(this->File) << "an ordinary file";
  const Placeholder ordinary(this->File);
  EXPECT_EQ(ordinary.There("key").Mark, dsm::FileMark::Of(this->File));
  EXPECT_EQ(file.There("key").Mark, std::nullopt);
}

// All that programs have just created say the same.
TEST_F(Placeholders, OfTwoFilesAreNeverOfTheSameState)
{
  const PlaceholderAddress begun{ "/tmp/run.dsm", "key" };
  const Placeholder one(this->File, Placeholder::Name::Free, begun);
  const Placeholder other(this->Folder / "other.h5", Placeholder::Name::Free, begun);
  const auto before = Placeholder::Read(this->File);
  std::filesystem::rename(this->Folder / "other.h5", this->File);
  const auto after = Placeholder::Read(this->File);
  ASSERT_TRUE(before && after);
  EXPECT_EQ(before->Address, after->Address);
  EXPECT_TRUE(before->IsOfSameState(*before));
  EXPECT_FALSE(before->IsOfSameState(*after));
}

// Another writer may have closed the file between this one's seal and what this one says of it.
TEST_F(Placeholders, DoNotGoBackToAnOlderSnapshot)
{
  Placeholder first(this->File);
  first.Put(this->New);
  Placeholder second(this->File);
  second.Put(this->Seventh);
  second.Tell(9, 4096);
  first.Tell(8, 8192);
  EXPECT_EQ(AddressAt(this->File)->Number, 9u);
}

// Each looks at what the file says before it writes.
TEST_F(Placeholders, AreUpdatedByOneWriterAtATime)
{
  Placeholder first(this->File);
  first.Put(this->New);
  Placeholder second(this->File);
  second.Put(this->Seventh);
  const dsm::FileDescriptor file(open(this->File.c_str(), O_RDWR));
  std::future<void> older;
  {
    const dsm::FileUpdate update(file.Get());
    older = std::async(std::launch::async, [&] { first.Tell(8, 8192); });
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_EQ(AddressAt(this->File)->Number, 7u) << "it waits";
  }
  older.get();
  EXPECT_EQ(AddressAt(this->File)->Number, 8u);
}

// It is closed behind the seal that lets another writer begin. Readers ask the server then.
TEST_F(Placeholders, OfAnImageThatWasBegunStayAndSayWhatTheyWereBefore)
{
  const auto begin = [&](dsm::ImageId image)
  {
    PlaceholderAddress address = this->New;
    address.Image = image;
    auto made = std::make_unique<Placeholder>(this->File);
    made->Put(address);
    return made;
  };
  auto first = begin(1);
  auto second = begin(2);
  first->Tell(8, 20000);
  const auto there = Placeholder::Read(this->File);
  ASSERT_TRUE(there);
  EXPECT_EQ(there->Address.Image, dsm::ImageId(2));
  EXPECT_EQ(there->Address.Number, 0u);
  EXPECT_EQ(there->Address.Before, dsm::SnapshotId(8));
  first.reset();
  auto third = begin(3);
  EXPECT_EQ(third->Before(), 8u);
  second->Tell(9, 30000);
  EXPECT_EQ(Placeholder::Read(this->File)->Address.Before, dsm::SnapshotId(9));
  third.reset(); // nothing came of it
  EXPECT_EQ(AddressAt(this->File)->Number, 9u);
  EXPECT_EQ(std::filesystem::file_size(this->File), 30000u);
}

TEST_F(Placeholders, SeeTheLocksOfProgramsThatWriteToDisk)
{
  std::ofstream(this->File) << "an ordinary file";
  const Placeholder file(this->File);
  EXPECT_FALSE(file.IsLockedOnDisk(true));
  const dsm::FileDescriptor other(open(this->File.c_str(), O_RDWR));
  ASSERT_EQ(flock(other.Get(), LOCK_SH | LOCK_NB), 0);
  EXPECT_TRUE(file.IsLockedOnDisk(true));
  EXPECT_FALSE(file.IsLockedOnDisk(false));
  ASSERT_EQ(flock(other.Get(), LOCK_EX | LOCK_NB), 0);
  EXPECT_TRUE(file.IsLockedOnDisk(false));
  ASSERT_EQ(flock(other.Get(), LOCK_UN), 0);
  EXPECT_FALSE(file.IsLockedOnDisk(true));
}

TEST_F(Placeholders, OtherFilesAreNone)
{
  EXPECT_FALSE(Placeholder::Read(this->File));
  EXPECT_FALSE(Placeholder::Read(this->Folder));
  EXPECT_FALSE(Placeholder::Read("/dev/zero"));
  std::ofstream(this->File) << "";
  EXPECT_FALSE(Placeholder::Read(this->File));
  std::ofstream(this->File) << "paraview-dsm-placeholder {}";
  EXPECT_FALSE(Placeholder::Read(this->File));
  EXPECT_GE(H5Fclose(H5Fcreate(this->File.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)), 0);
  EXPECT_FALSE(Placeholder::Read(this->File));
}

TEST_F(Placeholders, OfAnotherVersionAreRefused)
{
  {
    Placeholder file(this->File);
    file.Put(this->Seventh);
  }
  std::ifstream in(this->File, std::ios::binary);
  std::string bytes{ std::istreambuf_iterator<char>(in), {} };
  const auto place = bytes.find("\"Server\"");
  ASSERT_NE(std::string::npos, place);
  bytes.replace(place, 8, "\"Sarver\"");
  std::ofstream(this->File, std::ios::binary) << bytes;
  EXPECT_THROW(Placeholder::Read(this->File), dsm::Error);
}

}
