// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/SnapshotEvents.h"

#include "Server/Core/PeerRegistry.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace
{

using namespace dsm;
using Texts = std::vector<std::string>;

/// Writes what it hears into a list that it shares with others.
class Listener final : public SnapshotObserver
{
public:
  Listener(std::string name, Texts& heard)
    : Name(std::move(name))
    , Heard(heard)
  {
  }

  void OnBegun(const ImageBegun& image) override { this->Note("begun", image.Image); }
  void OnSealed(const SnapshotSealed& snapshot) override { this->Note("sealed", snapshot.Number); }
  void OnEnded(const ImageEnded& image) override { this->Note("ended", image.Image); }
  void OnAnnounced(const SnapshotDescription& one) override { this->Note("announced", one.Number); }
  void OnWithheld(const SnapshotDescription& one) override { this->Note("withheld", one.Number); }
  void OnReplaced() override { this->Note("replaced", 0); }
  void OnAllAnnounced() override { this->Note("all", 0); }
  void OnMoved(const SnapshotDescription& one) override { this->Note("moved", one.Number); }
  void OnEvicted(const SnapshotDescription& one) override { this->Note("evicted", one.Number); }
  void OnPeerLeft(const PeerLeft& left) override { this->Heard.push_back(this->Name + left.Id); }

private:
  void Note(const char* event, std::uint64_t number)
  {
    this->Heard.push_back(this->Name + event + " " + std::to_string(number));
  }

  const std::string Name;
  Texts& Heard;
};

class SnapshotEventsTest : public ::testing::Test
{
protected:
  SnapshotEventsTest()
  {
    this->Events.Subscribe(this->First);
    this->Events.Subscribe(this->Second);
  }

  Texts Take() { return std::exchange(this->Heard, {}); }

  static Texts Both(const std::string& event) { return { "1 " + event, "2 " + event }; }

  Texts Heard;
  Listener First{ "1 ", this->Heard };
  Listener Second{ "2 ", this->Heard };
  SnapshotEvents Events;
};

TEST_F(SnapshotEventsTest, EachObserverHearsEachEventOnceInTheOrderOfSubscription)
{
  SnapshotDescription snapshot;
  snapshot.Number = 7;
  const Peer peer;
  this->Events.Publish(&SnapshotObserver::OnBegun, ImageBegun{ 3, "peer", {}, "/a.h5", 0 });
  EXPECT_EQ(this->Take(), Both("begun 3"));
  this->Events.Publish(&SnapshotObserver::OnSealed, SnapshotSealed{ 3, 7 });
  EXPECT_EQ(this->Take(), Both("sealed 7"));
  this->Events.Publish(&SnapshotObserver::OnEnded, ImageEnded{ 4, true });
  EXPECT_EQ(this->Take(), Both("ended 4"));
  this->Events.Publish(&SnapshotObserver::OnAnnounced, snapshot);
  EXPECT_EQ(this->Take(), Both("announced 7"));
  this->Events.Publish(&SnapshotObserver::OnWithheld, snapshot);
  EXPECT_EQ(this->Take(), Both("withheld 7"));
  this->Events.Publish(&SnapshotObserver::OnReplaced);
  EXPECT_EQ(this->Take(), Both("replaced 0"));
  this->Events.Publish(&SnapshotObserver::OnAllAnnounced);
  EXPECT_EQ(this->Take(), Both("all 0"));
  this->Events.Publish(&SnapshotObserver::OnMoved, snapshot);
  EXPECT_EQ(this->Take(), Both("moved 7"));
  this->Events.Publish(&SnapshotObserver::OnEvicted, snapshot);
  EXPECT_EQ(this->Take(), Both("evicted 7"));
  this->Events.Publish(
    &SnapshotObserver::OnPeerLeft, PeerLeft{ "peer", peer, true, "exited without disconnecting" });
  EXPECT_EQ(this->Take(), Both("peer"));
}

TEST_F(SnapshotEventsTest, ObserversNeedNotListenToAll)
{
  struct Deaf final : SnapshotObserver
  {
  };
  Deaf deaf;
  SnapshotEvents events;
  events.Subscribe(deaf);
  events.Subscribe(this->First);
  events.Publish(&SnapshotObserver::OnReplaced);
  EXPECT_EQ(this->Take(), Texts{ "1 replaced 0" });
}

TEST_F(SnapshotEventsTest, LaterObserversDoNotHearEarlierEvents)
{
  this->Events.Publish(&SnapshotObserver::OnReplaced);
  this->Take();
  Listener third("3 ", this->Heard);
  this->Events.Subscribe(third);
  EXPECT_TRUE(this->Take().empty());
  this->Events.Publish(&SnapshotObserver::OnAllAnnounced);
  EXPECT_EQ(this->Take(), (Texts{ "1 all 0", "2 all 0", "3 all 0" }));
}

}
