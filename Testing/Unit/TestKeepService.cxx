// SPDX-License-Identifier: BSD-3-Clause
#include "SimulatedServer.h"

#include "Base/Error.h"

#include <gtest/gtest.h>

namespace dsm::testing
{

namespace
{
constexpr const char* Writer = "writer";

/// Begins an image and shows it by a flush, which shares its bytes with a snapshot.
ImageDescription BeginShared(SimulatedServer& server)
{
  server.Connect(Writer, "writer");
  const auto image = server.Ask(Writer, BeginImage{ "/sim/x.h5", 0, 1, false }).Image;
  PublishImage publish;
  publish.Image = image.Image;
  publish.Size = 8192;
  publish.Changing.resize(2);
  const auto published = server.Ask(Writer, publish);
  server.Ask(Writer, ConfirmCopy{ image.Image, published.Copy, {} });
  return image;
}
}

TEST(KeepService, AnswersWhenTheHostsHaveCopied)
{
  SimulatedServer server;
  const auto image = BeginShared(server);
  const auto request = server.Send(Writer, KeepBytes{ image.Image, image.Key, 0, { 0, 4096 } });
  EXPECT_FALSE(server.IsAnswered(request));
  server.HostsWork();
  EXPECT_NO_THROW(server.ReplyTo<KeepBytes>(request));
}

TEST(KeepService, RefusesWhenAHostIsLostWhileItCopies)
{
  SimulatedServer server;
  const auto image = BeginShared(server);
  const auto request = server.Send(Writer, KeepBytes{ image.Image, image.Key, 0, { 0, 4096 } });
  server.Leave("host 1", true);
  ASSERT_TRUE(server.IsAnswered(request));
  EXPECT_THROW(server.ReplyTo<KeepBytes>(request), Error);
  EXPECT_TRUE(server.Core.Images.Snapshots().All().empty()); // its bytes will change
}

}
