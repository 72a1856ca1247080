// SPDX-License-Identifier: BSD-3-Clause
// The decisions of ParaView's panel on what to show next, as tables: no window, Qt or ParaView.
#include "pqDSMFollowState.h"

#include <gtest/gtest.h>

#include <functional>
#include <ostream>

using State = pqDSMFollowState;
using Action = State::Action;
using Mode = State::Mode;
using Reader = State::ReaderState;

namespace
{
// What happens, by whom, and the time that ParaView shows then. An edge does what it is told: it
// makes a reader of images, and goes to the time that has the newest snapshot's number.
struct Edge
{
  State Follow;
  double Time = 0;
  std::string Kind = "vtkImageData";
  bool CanMake = true;
  bool CanRead = true;
  int Displayed = 0;

  Action Status(bool running, std::int64_t newest, std::int64_t writers = 1, bool lost = false)
  {
    const auto action = this->Follow.statusSeen({ running, newest, writers, lost }, this->Time);
    if (action == Action::MakeReader && this->CanMake)
    {
      this->GoTo(newest);
      this->Follow.readerMade(this->Kind);
      ++this->Displayed;
      this->Follow.shown(newest);
    }
    if (action == Action::GoToNewest)
    {
      this->CheckKind();
      this->GoTo(newest);
      this->Follow.newestShown(this->CanRead ? newest : this->Follow.shown());
    }
    if (action == Action::ReportShown)
    {
      this->Follow.shown(static_cast<std::int64_t>(this->Time));
    }
    return action;
  }

  Action Pick(std::int64_t number, const std::vector<State::Listed>& listed)
  {
    if (this->Follow.pick(this->Time) == Action::MakeReader && this->CanMake)
    {
      this->Follow.readerMade(this->Kind);
      ++this->Displayed;
    }
    const auto action = this->Follow.pickListed(number, listed, this->Kind);
    if (action == Action::GoToTime)
    {
      this->Time = this->Follow.pickedTime();
      this->Follow.wentTo(this->Time);
    }
    else
    {
      this->CheckKind();
      this->Follow.forgetDisplayed();
    }
    this->Follow.shown(number);
    return action;
  }

  void CheckKind()
  {
    if (this->Follow.mustCheckKind() && this->Follow.kindSeen(this->Kind))
    {
      ++this->Displayed;
      this->Follow.displayedAnew();
    }
  }

  void GoTo(std::int64_t number)
  {
    this->Time = static_cast<double>(number);
    this->Follow.wentTo(this->Time);
  }

  void Remove() { this->Follow.readerRemoved(); }
};

// A reader that shows snapshot 5 of the first simulation, and follows.
Edge Following()
{
  Edge edge;
  edge.Status(true, 5);
  return edge;
}

Edge Holding()
{
  Edge edge = Following();
  edge.Follow.hold(edge.Time);
  return edge;
}

struct Row
{
  const char* What;
  std::function<Edge()> Before;
  std::function<Action(Edge&)> Event;
  Action Answer;
  Mode After;
  Reader ReaderAfter;
  std::int64_t Shown;
};

std::ostream& operator<<(std::ostream& os, const Row& row)
{
  return os << row.What;
}

Edge Nothing()
{
  return {};
}

Edge Stopped()
{
  Edge edge = Following();
  edge.Status(false, 0);
  return edge;
}

// The user has deleted the reader that the first snapshot made.
Edge Deleted()
{
  Edge edge = Following();
  edge.Remove();
  return edge;
}

Edge NotAutomatic()
{
  Edge edge;
  edge.Follow.setAutomatic(false);
  return edge;
}

Edge FoundInAState()
{
  Edge edge;
  edge.Follow.readerFound();
  return edge;
}

Action Status(Edge& edge, std::int64_t newest)
{
  return edge.Status(true, newest);
}

class FollowState : public testing::TestWithParam<Row>
{
};
}

TEST_P(FollowState, ModeReaderAndAction)
{
  const auto& row = GetParam();
  Edge edge = row.Before();
  EXPECT_EQ(row.Event(edge), row.Answer);
  EXPECT_EQ(edge.Follow.mode(), row.After);
  EXPECT_EQ(edge.Follow.following(), row.After != Mode::Hold);
  EXPECT_EQ(edge.Follow.reader(), row.ReaderAfter);
  EXPECT_EQ(edge.Follow.shown(), row.Shown);
}

INSTANTIATE_TEST_SUITE_P(FirstSnapshot, FollowState,
  testing::Values(Row{ "no server", Nothing, [](Edge& edge) { return edge.Status(false, 0); },
                    Action::None, Mode::CatchUp, Reader::Missing, 0 },
    Row{ "no snapshot", Nothing, [](Edge& edge) { return Status(edge, 0); }, Action::None,
      Mode::CatchUp, Reader::Missing, 0 },
    Row{ "makes a reader", Nothing, [](Edge& edge) { return Status(edge, 1); }, Action::MakeReader,
      Mode::Follow, Reader::Made, 1 },
    Row{ "makes none if that is not automatic", NotAutomatic,
      [](Edge& edge) { return Status(edge, 1); }, Action::None, Mode::CatchUp, Reader::Missing, 0 },
    Row{ "is shown by a reader that there is", FoundInAState, [](Edge& edge)
      { return Status(edge, 3); }, Action::GoToNewest, Mode::Follow, Reader::Found, 3 },
    Row{ "makes a reader also with hold", Nothing,
      [](Edge& edge)
      {
        edge.Follow.hold(0);
        return Status(edge, 1);
      },
      Action::MakeReader, Mode::Hold, Reader::Made, 1 },
    Row{ "is tried once", Nothing,
      [](Edge& edge)
      {
        edge.CanMake = false;
        Status(edge, 1);
        return Status(edge, 2);
      },
      Action::None, Mode::CatchUp, Reader::Dismissed, 0 },
    Row{ "of another connection makes a reader again", Deleted,
      [](Edge& edge)
      {
        edge.Follow.connectionChanged();
        return Status(edge, 2);
      },
      Action::MakeReader, Mode::Follow, Reader::Made, 2 }));

INSTANTIATE_TEST_SUITE_P(Follow, FollowState,
  testing::Values(Row{ "a newer snapshot", Following, [](Edge& edge) { return Status(edge, 6); },
                    Action::GoToNewest, Mode::Follow, Reader::Made, 6 },
    Row{ "no newer snapshot", Following, [](Edge& edge) { return Status(edge, 5); }, Action::None,
      Mode::Follow, Reader::Made, 5 },
    Row{ "an empty memory", Following, [](Edge& edge) { return Status(edge, 0); }, Action::None,
      Mode::Follow, Reader::Made, 5 },
    Row{ "the same again after an empty memory", Following,
      [](Edge& edge)
      {
        Status(edge, 0);
        return Status(edge, 5);
      },
      Action::None, Mode::Follow, Reader::Made, 5 },
    Row{ "the user moves the time", Following,
      [](Edge& edge)
      {
        edge.Time = 3;
        return Status(edge, 6);
      },
      Action::ReportShown, Mode::Hold, Reader::Made, 3 },
    Row{ "the user moves the time, and no snapshot is new", Following,
      [](Edge& edge)
      {
        edge.Time = 4;
        return Status(edge, 5);
      },
      Action::ReportShown, Mode::Hold, Reader::Made, 4 },
    Row{ "the user holds", Following,
      [](Edge& edge)
      {
        edge.Follow.hold(edge.Time);
        return Status(edge, 6);
      },
      Action::None, Mode::Hold, Reader::Made, 5 },
    Row{ "follow, which it does", Following,
      [](Edge& edge)
      {
        edge.Follow.follow(edge.Time);
        return Status(edge, 5);
      },
      Action::None, Mode::Follow, Reader::Made, 5 },
    Row{ "other arrays: the same snapshot again", Following,
      [](Edge& edge)
      {
        EXPECT_EQ(edge.Follow.contentsChanged(), Action::None);
        EXPECT_EQ(edge.Follow.mode(), Mode::CatchUp);
        return Status(edge, 5);
      },
      Action::GoToNewest, Mode::Follow, Reader::Made, 5 },
    Row{ "the user holds while the newest is read", Following,
      [](Edge& edge)
      {
        const auto action = edge.Follow.statusSeen({ true, 8, 1 }, edge.Time);
        edge.Follow.hold(edge.Time);
        edge.Follow.newestShown(5);
        return action;
      },
      Action::GoToNewest, Mode::Hold, Reader::Made, 5 }));

INSTANTIATE_TEST_SUITE_P(Hold, FollowState,
  testing::Values(Row{ "a newer snapshot", Holding, [](Edge& edge) { return Status(edge, 6); },
                    Action::None, Mode::Hold, Reader::Made, 5 },
    Row{ "the user moves the time", Holding,
      [](Edge& edge)
      {
        edge.Time = 2;
        return Status(edge, 6);
      },
      Action::ReportShown, Mode::Hold, Reader::Made, 2 },
    Row{ "once for each move", Holding,
      [](Edge& edge)
      {
        edge.Time = 2;
        Status(edge, 6);
        return Status(edge, 7);
      },
      Action::None, Mode::Hold, Reader::Made, 2 },
    Row{ "follow: to the newest, wherever the time is", Holding,
      [](Edge& edge)
      {
        edge.Follow.follow(edge.Time);
        EXPECT_EQ(edge.Follow.mode(), Mode::CatchUp);
        edge.Time = 1; // ParaView has gone to its first time: the one before has left the memory
        return Status(edge, 9);
      },
      Action::GoToNewest, Mode::Follow, Reader::Made, 9 },
    Row{ "follow, and nothing is new", Holding,
      [](Edge& edge)
      {
        edge.Follow.follow(edge.Time);
        return Status(edge, 5);
      },
      Action::GoToNewest, Mode::Follow, Reader::Made, 5 },
    Row{ "other arrays: a render", Holding, [](Edge& edge)
      { return edge.Follow.contentsChanged(); }, Action::Render, Mode::Hold, Reader::Made, 5 }));

INSTANTIATE_TEST_SUITE_P(ReaderComesAndGoes, FollowState,
  testing::Values(
    Row{ "the one we made is deleted: no other until Start", Deleted, [](Edge& edge)
      { return Status(edge, 6); }, Action::None, Mode::CatchUp, Reader::Dismissed, 5 },
    Row{ "one that was found is deleted: the next snapshot makes one", FoundInAState,
      [](Edge& edge)
      {
        Status(edge, 3);
        edge.Remove();
        return Status(edge, 4);
      },
      Action::MakeReader, Mode::Follow, Reader::Made, 4 },
    Row{ "the deletion is undone: it catches up", Deleted,
      [](Edge& edge)
      {
        edge.Follow.readerFound();
        return Status(edge, 5);
      },
      Action::GoToNewest, Mode::Follow, Reader::Made, 5 },
    Row{ "and done again", Deleted,
      [](Edge& edge)
      {
        edge.Follow.readerFound();
        edge.Remove();
        return Status(edge, 6);
      },
      Action::None, Mode::CatchUp, Reader::Dismissed, 5 },
    Row{ "deleted while holding: it holds on", Holding,
      [](Edge& edge)
      {
        edge.Remove();
        return Status(edge, 6);
      },
      Action::None, Mode::Hold, Reader::Dismissed, 5 }));

INSTANTIATE_TEST_SUITE_P(StopAndStart, FollowState,
  testing::Values(
    Row{ "the reader stays", Stopped, [](Edge& edge) { return edge.Status(false, 0); },
      Action::None, Mode::CatchUp, Reader::Found, 5 },
    Row{ "the reader goes on", Stopped, [](Edge& edge) { return Status(edge, 1); },
      Action::GoToNewest, Mode::Follow, Reader::Found, 1 },
    Row{ "with the same number", Stopped, [](Edge& edge) { return Status(edge, 5); },
      Action::GoToNewest, Mode::Follow, Reader::Found, 5 },
    Row{ "a reader that was deleted is made again", Deleted,
      [](Edge& edge)
      {
        edge.Status(false, 0);
        return Status(edge, 1);
      },
      Action::MakeReader, Mode::Follow, Reader::Made, 1 },
    Row{ "a reader is deleted in between", Stopped,
      [](Edge& edge)
      {
        edge.Remove();
        return Status(edge, 1);
      },
      Action::MakeReader, Mode::Follow, Reader::Made, 1 },
    Row{ "hold is kept", Holding,
      [](Edge& edge)
      {
        edge.Status(false, 0);
        return Status(edge, 1);
      },
      Action::None, Mode::Hold, Reader::Found, 5 },
    Row{ "between two statuses: numbers begin again", Following, [](Edge& edge)
      { return Status(edge, 2); }, Action::GoToNewest, Mode::Follow, Reader::Made, 2 },
    Row{ "other arrays while it is stopped: a render", Stopped,
      [](Edge& edge) { return edge.Follow.contentsChanged(); }, Action::Render, Mode::CatchUp,
      Reader::Found, 5 }));

INSTANTIATE_TEST_SUITE_P(Pick, FollowState,
  testing::Values(Row{ "by its time", Following,
                    [](Edge& edge) { return edge.Pick(4, { { 3, 3 }, { 4, 4 }, { 5, 5 } }); },
                    Action::GoToTime, Mode::Hold, Reader::Made, 4 },
    Row{ "by its number, where two have its time", Following,
      [](Edge& edge) { return edge.Pick(4, { { 3, 4 }, { 4, 4 }, { 5, 5 } }); },
      Action::SelectNumber, Mode::Hold, Reader::Made, 4 },
    Row{ "by its number, where it is not listed", Following, [](Edge& edge)
      { return edge.Pick(4, { { 5, 5 } }); }, Action::SelectNumber, Mode::Hold, Reader::Made, 4 },
    Row{ "by its number, where the newest is of another kind", Following,
      [](Edge& edge)
      {
        edge.Kind = "vtkTable";
        return edge.Pick(4, { { 4, 4 }, { 5, 5 } });
      },
      Action::SelectNumber, Mode::Hold, Reader::Made, 4 },
    Row{ "by its time, of a reader whose kind is not known", FoundInAState,
      [](Edge& edge) { return edge.Pick(4, { { 4, 4 }, { 5, 5 } }); }, Action::GoToTime, Mode::Hold,
      Reader::Found, 4 },
    Row{ "makes a reader", Deleted, [](Edge& edge) { return edge.Pick(4, { { 4, 4 }, { 5, 5 } }); },
      Action::GoToTime, Mode::Hold, Reader::Made, 4 },
    Row{ "makes a reader where the first snapshot makes none", NotAutomatic, [](Edge& edge)
      { return edge.Pick(1, { { 1, 1 } }); }, Action::GoToTime, Mode::Hold, Reader::Made, 1 },
    Row{ "is held", Following,
      [](Edge& edge)
      {
        edge.Pick(4, { { 4, 4 }, { 5, 5 } });
        return Status(edge, 6);
      },
      Action::None, Mode::Hold, Reader::Made, 4 },
    Row{ "then follow", Following,
      [](Edge& edge)
      {
        edge.Pick(4, { { 4, 4 }, { 5, 5 } });
        edge.Follow.follow(edge.Time);
        return Status(edge, 5);
      },
      Action::GoToNewest, Mode::Follow, Reader::Made, 5 }));

// How many snapshots were skipped, after the newest of each status was shown.
TEST(FollowStateSkipped, CountsWhatCameAndWasNotShown)
{
  Edge edge = Following();
  EXPECT_EQ(edge.Follow.skipped(), 0);
  edge.Status(true, 6);
  EXPECT_EQ(edge.Follow.skipped(), 0);
  edge.Status(true, 10);
  EXPECT_EQ(edge.Follow.skipped(), 3);
  // The server starts anew: what it counts now is another series.
  edge.Status(true, 4);
  EXPECT_EQ(edge.Follow.skipped(), 3);
  edge.Status(true, 6);
  EXPECT_EQ(edge.Follow.skipped(), 4);
  // What could not be read is not shown.
  edge.CanRead = false;
  edge.Status(true, 9);
  EXPECT_EQ(edge.Follow.skipped(), 4);
  edge.Status(false, 0);
  EXPECT_EQ(edge.Follow.skipped(), 0);
}

TEST(FollowStateSkipped, DoesNotCountWhatOtherStreamsHave)
{
  Edge edge = Following();
  edge.Follow.statusSeen({ true, 9, 1 }, edge.Time);
  edge.GoTo(9);
  edge.Follow.newestShown(9, 2); // 6, 7 and 8, of which two are of others
  EXPECT_EQ(edge.Follow.skipped(), 1);
}

TEST(FollowStateStreams, AreShownAgainWhenTheyAreWanted)
{
  Edge edge = Deleted();
  EXPECT_EQ(edge.Status(true, 6), Action::None);
  edge.Follow.want();
  EXPECT_EQ(edge.Status(true, 6), Action::MakeReader);
  Edge never = NotAutomatic();
  never.Follow.want();
  EXPECT_EQ(never.Status(true, 1), Action::MakeReader);
  Edge shown = Following();
  shown.Follow.want();
  EXPECT_EQ(shown.Status(true, 5), Action::GoToNewest) << "what it shows may be old";
}

TEST(FollowStateSkipped, BeginsAnewWithAnotherConnection)
{
  Edge edge = Following();
  edge.Status(true, 10);
  edge.Follow.connectionChanged();
  EXPECT_EQ(edge.Follow.skipped(), 0);
  EXPECT_EQ(edge.Follow.shown(), 0);
  EXPECT_EQ(edge.Follow.reader(), Reader::Missing);
}

// How often the data were displayed, as simulations come and write images and tables.
struct Kinds
{
  const char* What;
  struct Seen
  {
    std::int64_t Newest;
    std::int64_t Writers;
    const char* Kind;
    int Displayed;
  };
  std::vector<Seen> Statuses;
};

std::ostream& operator<<(std::ostream& os, const Kinds& row)
{
  return os << row.What;
}

class FollowStateKinds : public testing::TestWithParam<Kinds>
{
};

TEST_P(FollowStateKinds, AreDisplayedAnewForAnotherSimulation)
{
  Edge edge;
  for (const auto& seen : GetParam().Statuses)
  {
    edge.Kind = seen.Kind;
    edge.Status(true, seen.Newest, seen.Writers);
    EXPECT_EQ(edge.Displayed, seen.Displayed) << "snapshot " << seen.Newest;
  }
}

const char* const Image = "vtkImageData";
const char* const Table = "vtkTable";

INSTANTIATE_TEST_SUITE_P(Simulations, FollowStateKinds,
  testing::Values(
    Kinds{ "one kind", { { 1, 1, Image, 1 }, { 2, 1, Image, 1 }, { 3, 2, Image, 1 } } },
    Kinds{ "another kind by another simulation",
      { { 1, 1, Image, 1 }, { 2, 2, Table, 2 }, { 3, 3, Image, 3 } } },
    Kinds{ "several kinds in turn by one simulation",
      { { 1, 1, Image, 1 }, { 2, 1, Table, 1 }, { 3, 1, Image, 1 } } },
    Kinds{ "another simulation begins with the same kind, and then writes another",
      { { 1, 1, Image, 1 }, { 2, 2, Image, 1 }, { 3, 2, Table, 2 }, { 4, 2, Image, 2 } } }));

TEST(FollowStateKinds, ArePickedOfTheSameSimulation)
{
  Edge edge = Following();
  edge.Kind = Table;
  edge.Pick(4, { { 4, 4 }, { 5, 5 } });
  EXPECT_EQ(edge.Displayed, 2);
  edge.Kind = Image;
  edge.Follow.follow(edge.Time);
  edge.Status(true, 5);
  EXPECT_EQ(edge.Displayed, 3);
}

TEST(FollowStateKinds, AreNotKnownOfAReaderThatWasFound)
{
  Edge edge = FoundInAState();
  edge.Status(true, 1);
  EXPECT_EQ(edge.Displayed, 0);
  edge.Kind = Table;
  edge.Status(true, 2);
  EXPECT_EQ(edge.Displayed, 1);
}

// Two streams of one server: each has its own reader and mode, and neither knows of the other.
TEST(FollowState, MemoryThatWasLostIsShownAgainWhenItIsBack)
{
  Edge edge;
  edge.Status(true, 3);
  EXPECT_EQ(edge.Status(true, 3, 1, true), Action::None);
  EXPECT_EQ(edge.Status(true, 3, 1, true), Action::None);
  EXPECT_EQ(edge.Status(true, 3), Action::GoToNewest) << "what it read meanwhile may have failed";
  EXPECT_EQ(edge.Status(true, 3), Action::None);
}

TEST(FollowStateStreams, AreIndependent)
{
  Edge fields = Following();
  Edge particles;
  EXPECT_EQ(particles.Status(true, 2), Action::MakeReader);
  fields.Follow.hold(fields.Time);
  EXPECT_EQ(fields.Status(true, 7), Action::None);
  EXPECT_EQ(particles.Status(true, 7), Action::GoToNewest);
  EXPECT_EQ(fields.Follow.shown(), 5);
  EXPECT_EQ(particles.Follow.shown(), 7);
  EXPECT_EQ(particles.Follow.skipped(), 4);
}
