// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/GuestBook.h"

#include "ControlFixture.h"

#include <gtest/gtest.h>

namespace
{

using namespace dsm;
using namespace dsm::testing;

TEST(GuestBook, KnowsGuestsByTheirKeys)
{
  GuestBook book;
  book.Invite({ "ada", Right::Look, "key of ada" }, 10);
  book.Invite({ "eve@node7", Right::Steer, "key of eve" }, 20);
  ASSERT_TRUE(book.Find("key of ada"));
  EXPECT_EQ(book.Find("key of ada")->Guest, "ada");
  EXPECT_EQ(book.Find("key of eve")->May, Right::Steer);
  EXPECT_FALSE(book.Find("another key"));
  EXPECT_FALSE(book.Find(""));
  ASSERT_EQ(book.All().size(), 2u);
  EXPECT_EQ(book.All()[1].Invited, 20);
}

TEST(GuestBook, AWithdrawnGuestIsNobodyAndMayBeInvitedAnew)
{
  GuestBook book;
  book.Invite({ "ada", Right::Look, "first" }, 10);
  EXPECT_EQ(book.Withdraw("ada", 20), "first");
  EXPECT_FALSE(book.Find("first"));
  TextOf(Fault::Usage, [&] { book.Withdraw("ada", 21); });
  book.Invite({ "ada", Right::Steer, "second" }, 30);
  EXPECT_FALSE(book.Find("first"));
  EXPECT_EQ(book.Find("second")->May, Right::Steer);
  ASSERT_EQ(book.All().size(), 2u);
  EXPECT_EQ(book.All()[0].Withdrawn, 20);
  EXPECT_EQ(book.Withdraw("ada", 40), "second");
}

TEST(GuestBook, RefusesWhatIsNoName)
{
  GuestBook book;
  for (const std::string& name : { std::string(), std::string("two words"), std::string("a\nb"),
         std::string("\x1b[2J"), std::string("ada (guest)"), std::string(65, 'a') })
  {
    EXPECT_TRUE(Contains(TextOf(Fault::Usage, [&] { book.Invite({ name, Right::Look, "k" }, 1); }),
      "cannot be a guest's name"));
  }
  book.Invite({ std::string(64, 'a'), Right::Look, "k" }, 1);
}

TEST(GuestBook, RefusesANameTwiceAndRightsThatNoGuestHas)
{
  GuestBook book;
  book.Invite({ "ada", Right::Look, "first" }, 10);
  EXPECT_TRUE(Contains(
    TextOf(Fault::Usage, [&] { book.Invite({ "ada", Right::Look, "second" }, 11); }), "already"));
  TextOf(Fault::Usage, [&] { book.Invite({ "eve", Right::Write, "third" }, 12); });
  TextOf(Fault::Usage, [&] { book.Invite({ "eve", Right::Own, "fourth" }, 12); });
  EXPECT_EQ(book.All().size(), 1u);
}

TEST(GuestBook, IsBounded)
{
  GuestBook book;
  for (std::size_t i = 0; i < GuestBook::Most; ++i)
  {
    book.Invite({ "guest" + std::to_string(i), Right::Look, std::to_string(i) }, 1);
  }
  EXPECT_TRUE(Contains(
    TextOf(Fault::Usage, [&] { book.Invite({ "ada", Right::Look, "k" }, 2); }), "withdraw some"));
  for (std::size_t i = 0; i < GuestBook::Most; ++i)
  {
    book.Withdraw("guest" + std::to_string(i), 3);
  }
  EXPECT_EQ(book.All().size(), GuestBook::MostWithdrawn);
  EXPECT_EQ(book.All().back().Guest, "guest" + std::to_string(GuestBook::Most - 1));
}

}
