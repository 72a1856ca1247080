// SPDX-License-Identifier: BSD-3-Clause
#include "Mpi/Agreement.h"

#include "Base/TestDelay.h"
#include "Mpi/Communicator.h"

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

SharedResult Failure(const Error& error)
{
  return { true, error.GetFault(), error.what(), {} };
}

// One record from a rank to all.
SharedResult Shared(const RankGroup& ranks, const SharedResult& mine, int root)
{
  if (ranks.Size() == 1)
  {
    return mine;
  }
  const Bytes encoded =
    EncodeFields([&](Fields& fields) { Describe(fields, const_cast<SharedResult&>(mine)); });
  const std::string sent = ranks.BroadcastText(std::string(encoded.begin(), encoded.end()), root);
  if (ranks.Rank() == root)
  {
    return mine;
  }
  SharedResult result;
  DecodeFields(sent.data(), sent.size(), "what a rank sends",
    [&](Fields& fields) { Describe(fields, result); });
  return result;
}

SharedResult ResultOf(const std::function<void()>& work)
{
  testdelay::At("before a rank's part");
  try
  {
    work();
    testdelay::At("after a rank's part");
    return {};
  }
  catch (const std::exception& error)
  {
    return Failure(Error::From(error));
  }
}

// The lowest failing rank speaks for all: its complement is the highest.
std::uint64_t Claim(const RankGroup& ranks, const SharedResult& mine)
{
  return mine.Failed ? static_cast<std::uint64_t>(ranks.Size() - ranks.Rank()) : 0;
}

// Of all claims the highest; 0: nobody has failed.
void ThrowFirst(const RankGroup& ranks, const SharedResult& mine, std::uint64_t claimed)
{
  if (claimed == 0)
  {
    return;
  }
  const int first = ranks.Size() - static_cast<int>(claimed);
  const SharedResult failure = Shared(ranks, mine, first);
  throw AgreedError(failure.Reason, "{}{}",
    first == ranks.Rank() ? "" : fmt::format("on rank {}: ", first), failure.Text);
}
}

Bytes RunOnRankZeroBytes(const RankGroup& ranks, const std::function<Bytes()>& work)
{
  SharedResult result;
  testdelay::At("before rank 0 decides");
  if (ranks.Rank() == 0)
  {
    try
    {
      result.Answer = work();
    }
    catch (const std::exception& error)
    {
      result = Failure(Error::From(error));
    }
  }
  testdelay::At("before rank 0 broadcasts");
  result = Shared(ranks, result, 0);
  testdelay::At("after rank 0 has decided");
  if (result.Failed)
  {
    throw AgreedError(result.Reason, result.Text);
  }
  return std::move(result.Answer);
}

void Agree(const RankGroup& ranks, const std::function<void()>& work)
{
  const SharedResult mine = ResultOf(work);
  ThrowFirst(ranks, mine, ranks.Max(Claim(ranks, mine)));
}

Totals Agree(const Communicator& communicator, Totals& mine, const std::function<void()>& work)
{
  const SharedResult result = ResultOf(work);
  Totals told = mine;
  told.Maxima.push_back(Claim(communicator, result));
  told = communicator.Combine(std::move(told));
  const std::uint64_t claimed = told.Maxima.back();
  told.Maxima.pop_back();
  ThrowFirst(communicator, result, claimed);
  return told;
}

}
