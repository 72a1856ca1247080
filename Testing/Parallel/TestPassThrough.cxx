// SPDX-License-Identifier: BSD-3-Clause
// Without a server the driver must not be noticed: files, handles and errors are those of HDF5's
// own drivers.
#include "Hdf5Patterns.h"

#include "Driver/H5FDdsm.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <vector>

namespace
{

using patterns::Layout;
using patterns::Team;

/// One folder for all ranks.
class PassThrough : public testing::Test
{
protected:
  static void SetUpTestSuite()
  {
    World = Team::Of(MPI_COMM_WORLD);
    char name[] = "/tmp/dsm-pass-XXXXXX";
    if (World.Rank == 0)
    {
      ASSERT_NE(nullptr, mkdtemp(name));
    }
    MPI_Bcast(name, sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD);
    Folder = name;
  }
  static void TearDownTestSuite()
  {
    World.Barrier();
    if (World.Rank == 0)
    {
      std::filesystem::remove_all(Folder);
    }
  }
  void SetUp() override
  {
    this->Stock = H5Pcreate(H5P_FILE_ACCESS);
    this->Ours = H5Pcreate(H5P_FILE_ACCESS);
  }
  void TearDown() override
  {
    H5Pclose(this->Stock);
    H5Pclose(this->Ours);
  }

  void UseMpi(MPI_Info info = MPI_INFO_NULL)
  {
    ASSERT_GE(H5Pset_fapl_mpio(this->Stock, MPI_COMM_WORLD, info), 0);
    ASSERT_GE(H5Pset_fapl_dsm(this->Ours, MPI_COMM_WORLD, info, nullptr), 0);
  }

  void UseSerial()
  {
    ASSERT_GE(H5Pset_fapl_dsm(this->Ours, MPI_COMM_NULL, MPI_INFO_NULL, nullptr), 0);
  }

  /// Writes, appends and checks with both drivers; the files' bytes must be equal after each step.
  void Compare(const Team& team, const Layout& layout)
  {
    const std::string own = team.Comm == MPI_COMM_NULL ? std::to_string(World.Rank) : "";
    const std::string stock = Folder + "/stock" + own + ".h5";
    const std::string ours = Folder + "/ours" + own + ".h5";
    patterns::Write(stock, this->Stock, team, layout);
    patterns::Write(ours, this->Ours, team, layout);
    ExpectEqual(stock, ours, team);
    patterns::Check(ours, this->Ours, team, layout);
    patterns::Append(stock, this->Stock, team, layout);
    patterns::Append(ours, this->Ours, team, layout);
    ExpectEqual(stock, ours, team);
    patterns::Check(ours, this->Ours, team, layout, true);
    patterns::Check(ours, this->Stock, team, layout, true);
  }

  static void ExpectEqual(const std::string& one, const std::string& other, const Team& team)
  {
    team.Barrier();
    if (team.Rank == 0)
    {
      EXPECT_TRUE(patterns::Bytes(one) == patterns::Bytes(other)) << one << " and " << other;
    }
    team.Barrier();
  }

  static Team World;
  static std::string Folder;
  hid_t Stock = H5I_INVALID_HID;
  hid_t Ours = H5I_INVALID_HID;
};

Team PassThrough::World;
std::string PassThrough::Folder;

TEST_F(PassThrough, ParallelCollective)
{
  this->UseMpi();
  this->Compare(World, Layout{});
}

TEST_F(PassThrough, ParallelIndependent)
{
  this->UseMpi();
  Layout layout;
  layout.Collective = false;
  this->Compare(World, layout);
}

TEST_F(PassThrough, ParallelUserBlockLatestFormat)
{
  this->UseMpi();
  Layout layout;
  layout.UserBlock = 1024;
  layout.LatestFormat = true;
  this->Compare(World, layout);
}

TEST_F(PassThrough, ParallelWithoutSelectionIo)
{
  this->UseMpi();
  Layout layout;
  layout.SelectionIo = false;
  this->Compare(World, layout);
}

TEST_F(PassThrough, Serial)
{
  this->UseSerial();
  this->Compare(Team{}, Layout{});
}

TEST_F(PassThrough, SerialUserBlock)
{
  this->UseSerial();
  Layout layout;
  layout.UserBlock = 512;
  this->Compare(Team{}, layout);
}

unsigned long FeaturesOf(hid_t fapl, const std::string& name)
{
  H5FD_t* file =
    H5FDopen(name.c_str(), H5F_ACC_RDWR | H5F_ACC_CREAT | H5F_ACC_TRUNC, fapl, HADDR_UNDEF);
  EXPECT_NE(nullptr, file);
  unsigned long flags = 0;
  if (file)
  {
    EXPECT_GE(H5FDquery(file, &flags), 0);
    EXPECT_GE(H5FDclose(file), 0);
  }
  return flags;
}

TEST_F(PassThrough, FeaturesAreTheRealDrivers)
{
  this->UseMpi();
  EXPECT_EQ(FeaturesOf(this->Stock, Folder + "/features.h5"),
    FeaturesOf(this->Ours, Folder + "/features.h5"));
  this->UseSerial();
  const hid_t serial = H5Pcreate(H5P_FILE_ACCESS);
  const hid_t ours = H5Pcreate(H5P_FILE_ACCESS);
  ASSERT_GE(H5Pset_fapl_dsm(ours, MPI_COMM_NULL, MPI_INFO_NULL, nullptr), 0);
  const std::string own = Folder + "/features" + std::to_string(World.Rank) + ".h5";
  EXPECT_EQ(FeaturesOf(serial, own), FeaturesOf(ours, own));
  H5Pclose(serial);
  H5Pclose(ours);
}

TEST_F(PassThrough, MpiAtomicityAndHandle)
{
  this->UseMpi();
  const std::string name = Folder + "/atomic.h5";
  const hid_t file = H5Fcreate(name.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, this->Ours);
  ASSERT_GE(file, 0);
  EXPECT_GE(H5Fset_mpi_atomicity(file, true), 0);
  hbool_t atomic = false;
  EXPECT_GE(H5Fget_mpi_atomicity(file, &atomic), 0);
  EXPECT_TRUE(atomic);
  void* handle = nullptr;
  ASSERT_GE(H5Fget_vfd_handle(file, H5P_DEFAULT, &handle), 0);
  MPI_Offset size = -1;
  EXPECT_EQ(MPI_SUCCESS, MPI_File_get_size(*static_cast<MPI_File*>(handle), &size));
  const hid_t access = H5Fget_access_plist(file);
  EXPECT_EQ(H5FD_DSM, H5Pget_driver(access));
  H5Pclose(access);
  EXPECT_GE(H5Fclose(file), 0);
}

// With sec2, HDF5 sees that two opens are of one file and shares it.
TEST_F(PassThrough, SerialFilesAreSharedWithinTheProcess)
{
  this->UseSerial();
  const std::string name = Folder + "/shared" + std::to_string(World.Rank) + ".h5";
  const hid_t one = H5Fcreate(name.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, this->Ours);
  ASSERT_GE(one, 0);
  const hid_t group = H5Gcreate2(one, "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  ASSERT_GE(group, 0);
  const hid_t two = H5Fopen(name.c_str(), H5F_ACC_RDWR, this->Ours);
  ASSERT_GE(two, 0);
  EXPECT_GT(H5Lexists(two, "group", H5P_DEFAULT), 0);
  // Nor is it emptied while it is open.
  H5E_BEGIN_TRY
  {
    EXPECT_LT(H5Fcreate(name.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, this->Ours), 0);
  }
  H5E_END_TRY
  EXPECT_GE(H5Fflush(one, H5F_SCOPE_GLOBAL), 0);
  EXPECT_GT(std::filesystem::file_size(name), 0u);
  // Weak closing: the file stays until the group is closed.
  EXPECT_GE(H5Fclose(one), 0);
  EXPECT_GE(H5Fclose(two), 0);
  EXPECT_GE(H5Gclose(group), 0);
}

// Readers see by marks in the superblock that the file is being written.
TEST_F(PassThrough, FilesReadWhileTheyAreWritten)
{
  this->UseSerial();
  std::vector<std::vector<char>> superblocks;
  for (const hid_t access : { this->Stock, this->Ours })
  {
    ASSERT_GE(H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST), 0);
    const std::string name = Folder + "/swmr" + std::to_string(World.Rank) +
      (access == this->Ours ? ".ours.h5" : ".stock.h5");
    for (const unsigned mode : { H5F_ACC_SWMR_WRITE, 0u })
    {
      const hid_t file = H5Fcreate(name.c_str(), H5F_ACC_TRUNC | mode, H5P_DEFAULT, access);
      ASSERT_GE(file, 0);
      EXPECT_GE(H5Fflush(file, H5F_SCOPE_GLOBAL), 0);
      const hid_t reader = H5Fopen(name.c_str(), H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, access);
      EXPECT_GE(reader, 0);
      EXPECT_GE(H5Fclose(reader), 0);
      superblocks.push_back(patterns::Bytes(name));
      superblocks.back().resize(48);
      EXPECT_GE(H5Fclose(file), 0);
    }
  }
  EXPECT_NE(superblocks[0], superblocks[1]);
  EXPECT_EQ(superblocks[0], superblocks[2]);
  EXPECT_EQ(superblocks[1], superblocks[3]);
}

TEST_F(PassThrough, MissingFileFailsWithTheRealDriversReason)
{
  this->UseSerial();
  std::string reasons;
  hid_t file = H5I_INVALID_HID;
  H5E_auto2_t report = nullptr;
  void* data = nullptr;
  H5Eget_auto2(H5E_DEFAULT, &report, &data);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  file = H5Fopen((Folder + "/no such file.h5").c_str(), H5F_ACC_RDONLY, this->Ours);
  H5Ewalk2(
    H5E_DEFAULT, H5E_WALK_UPWARD,
    [](unsigned, const H5E_error2_t* error, void* text) -> herr_t
    {
      *static_cast<std::string*>(text) += error->desc;
      return 0;
    },
    &reasons);
  H5Eset_auto2(H5E_DEFAULT, report, data);
  EXPECT_LT(file, 0);
  EXPECT_NE(std::string::npos, reasons.find("No such file or directory")) << reasons;
}

TEST_F(PassThrough, DeleteRemovesTheFile)
{
  this->UseMpi();
  const std::string name = Folder + "/deleted.h5";
  const hid_t file = H5Fcreate(name.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, this->Ours);
  ASSERT_GE(file, 0);
  ASSERT_GE(H5Fclose(file), 0);
  EXPECT_GE(H5Fdelete(name.c_str(), this->Ours), 0);
  World.Barrier();
  struct stat about = {};
  EXPECT_NE(0, stat(name.c_str(), &about));
}

TEST_F(PassThrough, AccessListRemembers)
{
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "some_hint", "on");
  ASSERT_GE(H5Pset_fapl_dsm(this->Ours, MPI_COMM_WORLD, info, "run.dsm"), 0);
  MPI_Info_free(&info);
  const hid_t copy = H5Pcopy(this->Ours);
  EXPECT_GT(H5Pequal(copy, this->Ours), 0);

  MPI_Comm comm = MPI_COMM_NULL;
  char contact[64] = "";
  ASSERT_GE(H5Pget_fapl_dsm(copy, &comm, &info, contact, sizeof contact), 0);
  EXPECT_STREQ("run.dsm", contact);
  int result = MPI_UNEQUAL;
  MPI_Comm_compare(comm, MPI_COMM_WORLD, &result);
  EXPECT_EQ(MPI_CONGRUENT, result);
  char value[8] = "";
  int found = 0;
  MPI_Info_get(info, "some_hint", sizeof value - 1, value, &found);
  EXPECT_TRUE(found);
  EXPECT_STREQ("on", value);
  MPI_Comm_free(&comm);
  MPI_Info_free(&info);
  char start[4] = "";
  EXPECT_GE(H5Pget_fapl_dsm(copy, nullptr, nullptr, start, sizeof start), 0);
  EXPECT_STREQ("run", start);
  H5Pclose(copy);

  H5E_BEGIN_TRY
  {
    EXPECT_LT(H5Pget_fapl_dsm(this->Stock, nullptr, nullptr, nullptr, 0), 0);
  }
  H5E_END_TRY
}

TEST_F(PassThrough, DefaultOfTheProcess)
{
  const hid_t before = H5Pget_driver(H5P_FILE_ACCESS_DEFAULT);
  ASSERT_GE(H5FD_dsm_set_default(), 0);
  ASSERT_GE(H5FD_dsm_set_default(), 0);
  EXPECT_EQ(H5FD_DSM, H5Pget_driver(H5P_FILE_ACCESS_DEFAULT));
  const std::string own = std::to_string(World.Rank);
  const std::string name = Folder + "/default" + own + ".h5";
  patterns::Write(name, H5P_FILE_ACCESS_DEFAULT, Team{}, Layout{});
  patterns::Check(name, H5P_DEFAULT, Team{}, Layout{});
  EXPECT_GT(H5Fis_accessible(name.c_str(), H5P_DEFAULT), 0);
  ASSERT_GE(H5FD_dsm_unset_default(), 0);
  EXPECT_EQ(before, H5Pget_driver(H5P_FILE_ACCESS_DEFAULT));
  patterns::Check(name, H5P_DEFAULT, Team{}, Layout{});
}

TEST_F(PassThrough, CreatingWithoutServerSaysSo)
{
  ASSERT_GE(
    H5Pset_fapl_dsm(this->Ours, MPI_COMM_WORLD, MPI_INFO_NULL, (Folder + "/nobody.dsm").c_str()),
    0);
  const std::string name = Folder + "/homeless.h5";
  setenv("DSM_WITHOUT_SERVER", "fail", 1);
  std::string reasons;
  hid_t file = H5I_INVALID_HID;
  H5E_BEGIN_TRY
  {
    file = H5Fcreate(name.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, this->Ours);
    H5Ewalk2(
      H5E_DEFAULT, H5E_WALK_UPWARD,
      [](unsigned, const H5E_error2_t* error, void* text) -> herr_t
      {
        *static_cast<std::string*>(text) += error->desc;
        return 0;
      },
      &reasons);
  }
  H5E_END_TRY
  EXPECT_LT(file, 0);
  EXPECT_NE(std::string::npos, reasons.find("nobody.dsm")) << reasons;

  unsetenv("DSM_WITHOUT_SERVER");
  file = H5Fcreate(name.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, this->Ours);
  EXPECT_GE(file, 0);
  EXPECT_GE(H5Fclose(file), 0);
  EXPECT_TRUE(std::filesystem::exists(name));
}

}
