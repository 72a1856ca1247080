// SPDX-License-Identifier: BSD-3-Clause
#include "Base/LaunchedJob.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <string>
#include <utility>

#include <unistd.h>

namespace
{

// Of this process's environment, the variables that launchers set, until the end of a test.
class LaunchedJobTest : public ::testing::Test
{
protected:
  void SetUp() override
  {
    for (const char* name : { "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS",
           "FLUX_JOB_SIZE", "PMIX_NAMESPACE", "PALS_APID", "FLUX_JOB_ID", "SLURM_JOB_ID",
           "SLURM_STEP_ID", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "PALS_RANKID",
           "SLURM_PROCID", "FLUX_TASK_RANK", "DSM_LAUNCH" })
    {
      if (const char* value = std::getenv(name))
      {
        this->Before[name] = value;
      }
      unsetenv(name);
    }
  }

  void TearDown() override
  {
    for (const auto& [name, value] : this->Set)
    {
      unsetenv(name.c_str());
    }
    for (const auto& [name, value] : this->Before)
    {
      setenv(name.c_str(), value.c_str(), 1);
    }
  }

  dsm::LaunchedJob With(const std::map<std::string, std::string>& variables)
  {
    for (const auto& [name, value] : std::exchange(this->Set, variables))
    {
      unsetenv(name.c_str());
    }
    for (const auto& [name, value] : variables)
    {
      setenv(name.c_str(), value.c_str(), 1);
    }
    return dsm::JobOfThisProcess();
  }

  std::map<std::string, std::string> Before, Set;
};

TEST_F(LaunchedJobTest, AsLaunchersSayIt)
{
  using Job = dsm::LaunchedJob;
  EXPECT_EQ(this->With({}), Job());
  EXPECT_EQ(this->With({ { "PMIX_NAMESPACE", "prterun-1@1" }, { "OMPI_COMM_WORLD_SIZE", "4" } }),
    (Job{ "prterun-1@1", 4 }));
  EXPECT_EQ(this->With({ { "PMI_SIZE", "3" } }), (Job{ "of 3", 3 })) << "MPICH's own launcher";
  EXPECT_EQ(this->With({ { "SLURM_JOB_ID", "17" }, { "SLURM_STEP_ID", "2" },
              { "SLURM_STEP_NUM_TASKS", "8" } }),
    (Job{ "17.2", 8 }));
  EXPECT_EQ(this->With({ { "SLURM_JOB_ID", "17" }, { "SLURM_STEP_ID", "2" },
              { "PMIX_NAMESPACE", "slurm.pmix.17.2" }, { "SLURM_STEP_NUM_TASKS", "8" } }),
    (Job{ "slurm.pmix.17.2", 8 }));
  EXPECT_EQ(this->With({ { "PALS_APID", "a1" }, { "PMI_SIZE", "9" } }), (Job{ "a1", 9 }));
}

TEST_F(LaunchedJobTest, OneProcessIsNoJob)
{
  EXPECT_EQ(this->With({ { "PMI_SIZE", "1" } }), dsm::LaunchedJob());
  // In an allocation, and not launched.
  EXPECT_EQ(this->With({ { "SLURM_JOB_ID", "17" } }), dsm::LaunchedJob());
  EXPECT_EQ(this->With({ { "PMI_SIZE", "many" } }), dsm::LaunchedJob());
}

TEST_F(LaunchedJobTest, Ranks)
{
  EXPECT_EQ(0u, dsm::RankOfThisProcess());
  this->With({ { "OMPI_COMM_WORLD_RANK", "3" }, { "SLURM_PROCID", "0" } });
  EXPECT_EQ(3u, dsm::RankOfThisProcess()) << "mpiexec within a job of Slurm's";
  this->With({ { "PMI_RANK", "7" } });
  EXPECT_EQ(7u, dsm::RankOfThisProcess());
  this->With({ { "FLUX_TASK_RANK", "x" } });
  EXPECT_EQ(0u, dsm::RankOfThisProcess());
}

TEST_F(LaunchedJobTest, LaunchIsTheProcessGroupOrWhatDsmRunPassesToRanks)
{
  const std::string group = dsm::LaunchOfThisProcess();
  EXPECT_TRUE(group.ends_with("/" + std::to_string(getpgrp()))) << group;
  this->With({ { "DSM_LAUNCH", "outer" } });
  EXPECT_EQ(dsm::LaunchOfThisProcess(), group) << "an interactive shell behind dsm-run";
  this->With({ { "DSM_LAUNCH", "outer" }, { "PMI_RANK", "0" } });
  EXPECT_EQ(dsm::LaunchOfThisProcess(), "outer");
  this->With({ { "PMI_RANK", "0" } });
  EXPECT_EQ(dsm::LaunchOfThisProcess(), "");
  const auto job = [this](const std::string& launch)
  {
    return this->With({ { "PMI_SIZE", "3" }, { "PMI_RANK", "1" }, { "DSM_LAUNCH", launch } }).Name;
  };
  EXPECT_NE(job("first"), job("second")) << "PMI gives jobs of one size the same name";
}

}
