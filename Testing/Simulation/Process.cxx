// SPDX-License-Identifier: BSD-3-Clause
#include "Process.h"

namespace dsm::simulation
{

Process::Process(World& world, std::string name, PeerDescription description, std::string key)
  : Surroundings(world)
  , Name(std::move(name))
  , Description(std::move(description))
  , KeyText(std::move(key))
{
}

void Process::Start()
{
  this->Connect();
}

Hello Process::Greeting()
{
  Hello hello;
  hello.Peer = this->Description;
  this->Prepare(hello);
  return hello;
}

void Process::Connect()
{
  ++this->Epoch;
  this->Waiting.clear();
  this->Parted = false;
  this->Id = fmt::format("{}#{}", this->Name, this->Epoch);
  this->Surroundings.Channel.Connect(this->Id, this->KeyText,
    [this, epoch = this->Epoch](const Envelope& message)
    {
      if (epoch == this->Epoch && this->Alive)
      {
        this->Arrive(message);
      }
    });
  this->Greet();
}

void Process::Greet()
{
  this->Ask(
    this->Greeting(), [this](const HelloReply&) { this->Run(); }, [this](const Error&)
    { this->Later(0.5, [this] { this->Ending ? this->Leave() : this->Greet(); }); });
}

void Process::GreetAgain()
{
  this->Ask(this->Greeting(), [](const HelloReply&) {});
}

void Process::Send(const char* name, std::uint64_t id, Bytes body)
{
  this->Surroundings.Channel.SendToServer(
    this->Id, { Envelope::Kind::Request, name, id, std::move(body), {}, {} });
}

void Process::Arrive(const Envelope& message)
{
  if (message.What == Envelope::Kind::Event)
  {
    this->Receive(message);
    return;
  }
  auto question = this->Waiting.extract(message.Id);
  if (!question)
  {
    return;
  }
  if (message.What == Envelope::Kind::Reply)
  {
    question.mapped().Then(message.Body);
  }
  else
  {
    question.mapped().Otherwise(Error(message.Reason, message.Text));
  }
}

void Process::Later(double seconds, std::function<void()> action)
{
  this->Surroundings.Time.After(seconds,
    [this, epoch = this->Epoch, action = std::move(action)]
    {
      if (!this->Alive || epoch != this->Epoch || this->Finished)
      {
        return;
      }
      if (this->Stopped)
      {
        this->Later(0.5, action);
        return;
      }
      action();
    });
}

void Process::Later(std::function<void()> action)
{
  this->Later(this->Surroundings.Chance.Between(0.001, 0.15), std::move(action));
}

void Process::Again(const Error& error)
{
  if (error.GetFault() == Fault::PeerLost && this->Surroundings.HasGivenUp(this->Id))
  {
    this->Lost();
    return;
  }
  this->Later([this] { this->Run(); });
}

void Process::Lost()
{
  if (this->Alive && !this->Finished)
  {
    this->Surroundings.Channel.Hang(this->Id);
    this->Surroundings.Abandons(this->Id);
    this->Connect();
  }
}

void Process::Leave()
{
  this->Finished = true;
  this->Waiting.clear();
  this->Surroundings.Channel.Hang(this->Id);
  this->Surroundings.SaysGoodbye(this->Id);
}

void Process::Kill()
{
  this->Alive = false;
  this->Surroundings.HasDied(this->Description.Process);
  this->Surroundings.Channel.Hang(this->Id);
  this->Surroundings.Abandons(this->Id);
}

// A stopped process neither sends nor hears.
void Process::Update()
{
  if (this->IsSilent())
  {
    this->Surroundings.Channel.Cut(this->Id);
  }
  else
  {
    this->Surroundings.Channel.Restore(this->Id);
  }
}

void Process::Stop()
{
  this->Stopped = true;
  this->Update();
}

void Process::Continue()
{
  this->Stopped = false;
  this->Update();
}

void Process::CutConnection()
{
  this->Parted = true;
  this->Update();
}

void Process::RestoreConnection()
{
  this->Parted = false;
  this->Update();
  if (this->Surroundings.Chance.Chance(0.5))
  {
    this->GreetAgain();
  }
}

}
