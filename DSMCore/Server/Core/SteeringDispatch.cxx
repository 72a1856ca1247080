// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/SteeringDispatch.h"

#include "Server/Core/GuestBook.h"

#include <utility>
#include <variant>

namespace dsm
{

namespace
{
// A guest's name comes from its key, not from what it says.
void SignAs(const std::string& who, RequestSteering& asked)
{
  asked.Who = who;
  if (auto* apply = std::get_if<ApplyRequest>(&asked.Request))
  {
    apply->Who.reset();
  }
  else if (auto* save = std::get_if<SaveRequest>(&asked.Request))
  {
    save->Who.reset();
  }
}
}

SteeringDispatch::SteeringDispatch(SteeringService& steering, RequestRouter& router,
  PeerRegistry& peers, const RunService& runs, const ImageManager& images)
  : Steering(steering)
  , Router(router)
  , Peers(peers)
  , Runs(runs)
  , Images(images)
{
}

template <typename Work>
void SteeringDispatch::Post(const Call& call, Work work)
{
  this->Router.Post(
    [call, work = std::move(work)]() mutable
    {
      try
      {
        work();
      }
      catch (const std::exception& error)
      {
        call.Refuse(error);
      }
    });
}

void SteeringDispatch::Serve(RequestRouter& router)
{
  router.On<DeclareProgram>(*this);
  router.On<ReportProgress>(*this);
  router.On<ReportOutcomes>(*this);
  router.On<RequestSteering>(*this);
  router.On<ReadInteractions>(*this);
}

void SteeringDispatch::Handle(const Call& call, const DeclareProgram& message)
{
  const Peer* const peer = this->Peers.Find(call.Peer());
  const std::uint64_t run = peer ? this->Runs.RunOf(peer->Process) : 0;
  this->Post(call,
    [this, call, message, run]
    {
      this->Steering.Declare(call.Peer(), message);
      call.Reply(Nothing());
      this->Steering.SetRun(call.Peer(), run); // if its first file came before
    });
}

void SteeringDispatch::Handle(const Call& call, const ReportProgress& message)
{
  this->Post(call, [this, call, message] { this->Steering.Receive(call.Peer(), message); });
}

void SteeringDispatch::Handle(const Call& call, const ReportOutcomes& message)
{
  this->Post(call, [this, call, message] { this->Steering.Receive(call.Peer(), message); });
}

void SteeringDispatch::Handle(const Call& call, const RequestSteering& message)
{
  auto asked = message;
  if (!call.Guest().empty())
  {
    SignAs(GuestText(call.Guest()), asked);
  }
  this->Post(
    call, [this, call, asked = std::move(asked)] { this->Steering.Request(call.Id(), asked); });
}

void SteeringDispatch::Handle(const Call& call, const ReadInteractions& message)
{
  // A program that only looks has no step of its own: the newest file's step stands for it.
  const auto* const newest = this->Images.Snapshots().Newest();
  const double step = newest ? newest->Step : 0;
  this->Post(call, [this, call, message, step] { call.Reply(this->Steering.Read(message, step)); });
}

void SteeringDispatch::RunBegan(SteeringService::BegunRun run)
{
  this->Router.Post([this, run = std::move(run)] { this->Steering.RunBegan(run); });
}

void SteeringDispatch::AnswerStatus(const Call& call, ServerStatus status)
{
  this->Post(call,
    [this, call, status = std::move(status)]() mutable
    {
      this->FillIn(status);
      call.Reply(status);
    });
}

void SteeringDispatch::FillIn(ServerStatus& status) const
{
  for (RunDescription& run : status.Runs)
  {
    if (run.From)
    {
      run.Changed = this->Steering.ChangedSince(run.Number, *run.From);
    }
  }
  if (status.State != ServerState::Idle && this->Steering.AnyPaused())
  {
    status.State = ServerState::Paused;
  }
}

}
