// SPDX-License-Identifier: BSD-3-Clause
#include "Mpi/Agreement.h"

#include <string>
#include <utility>

namespace dsm
{

namespace
{
/// What rank 0 tells the others.
struct SharedResult
{
  bool Failed = false;
  Fault Reason = Fault::System;
  std::string Text;
  Bytes Answer;
};

void Describe(Fields& fields, SharedResult& result)
{
  fields("Failed", result.Failed);
  fields.AsText("Fault", result.Reason, FaultName, FaultFromName);
  fields("Text", result.Text);
  fields("Answer", result.Answer);
}

SharedResult Failure(const std::exception& error)
{
  const auto* known = dynamic_cast<const Error*>(&error);
  return { true, known ? known->GetFault() : Fault::System, error.what(), {} };
}

// One record from a rank to all.
SharedResult Shared(const Communicator& communicator, const SharedResult& mine, int root)
{
  if (communicator.Size() == 1)
  {
    return mine;
  }
  const Bytes encoded =
    EncodeFields([&](Fields& fields) { Describe(fields, const_cast<SharedResult&>(mine)); });
  const std::string sent =
    communicator.BroadcastText(std::string(encoded.begin(), encoded.end()), root);
  SharedResult result;
  DecodeFields(sent.data(), sent.size(), "what a rank sends",
    [&](Fields& fields) { Describe(fields, result); });
  return result;
}
}

Bytes RunOnRankZeroBytes(const Communicator& communicator, const std::function<Bytes()>& work)
{
  SharedResult result;
  if (communicator.Rank() == 0)
  {
    try
    {
      result.Answer = work();
    }
    catch (const std::exception& error)
    {
      result = Failure(error);
    }
  }
  result = Shared(communicator, result, 0);
  if (result.Failed)
  {
    throw AgreedError(result.Reason, result.Text);
  }
  return std::move(result.Answer);
}

void Agree(const Communicator& communicator, const std::function<void()>& work)
{
  SharedResult mine;
  try
  {
    work();
  }
  catch (const std::exception& error)
  {
    mine = Failure(error);
  }
  const auto none = static_cast<std::uint64_t>(communicator.Size());
  const auto rank = static_cast<std::uint64_t>(communicator.Rank());
  // The lowest failing rank speaks for all: its complement is the highest.
  const std::uint64_t first = none - communicator.Max(mine.Failed ? none - rank : 0);
  if (first == none)
  {
    return;
  }
  const SharedResult failure = Shared(communicator, mine, static_cast<int>(first));
  throw AgreedError(
    failure.Reason, "{}{}", first == rank ? "" : fmt::format("on rank {}: ", first), failure.Text);
}

}
