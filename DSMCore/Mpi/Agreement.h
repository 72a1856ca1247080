// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Error.h"
#include "Encoding/Encoding.h"
#include "Mpi/RankGroup.h"
#include "Mpi/Totals.h"

#include <functional>
#include <type_traits>
#include <vector>

/// How ranks succeed or fail together: an error on one becomes the same error on all, so that none
/// waits in a collective for another that has already left.
namespace dsm
{

class Communicator;

/// An Error that all ranks of a communicator throw together. Whoever catches it may free what they
/// share, which is collective; with any other error some ranks may be elsewhere.
class AgreedError : public Error
{
public:
  using Error::Error;
};

/// Collective. Rank 0 does the work; all ranks get the bytes, or throw the same AgreedError.
Bytes RunOnRankZeroBytes(const RankGroup& ranks, const std::function<Bytes()>& work);

/// Collective. Rank 0 does the work; all ranks get its result, or throw the same AgreedError. The
/// result is whatever Fields can visit: a record, a number, a text; or nothing.
template <typename Work>
auto RunOnRankZero(const RankGroup& ranks, const Work& work)
{
  using Result = std::invoke_result_t<const Work&>;
  if constexpr (std::is_void_v<Result>)
  {
    RunOnRankZeroBytes(ranks,
      [&]
      {
        work();
        return Bytes();
      });
  }
  else
  {
    Result answer{};
    const Bytes result = RunOnRankZeroBytes(ranks,
      [&]
      {
        answer = work();
        return ranks.Size() > 1 ? EncodeFields([&](Fields& fields) { fields("Answer", answer); })
                                : Bytes(); // nobody reads it
      });
    if (ranks.Rank() > 0)
    {
      DecodeFields(result.data(), result.size(), "rank 0's result",
        [&](Fields& fields) { fields("Answer", answer); });
    }
    return answer;
  }
}

/// Collective. Every rank works; if any throws, all throw an AgreedError: the lowest such rank's,
/// with the number of that rank when it is another.
void Agree(const RankGroup& ranks, const std::function<void()>& work);

/// The same; and what the ranks have to say besides (Communicator::Combine), in the same call.
/// `work` may still change what this rank says.
Totals Agree(const Communicator& communicator, Totals& mine, const std::function<void()>& work);

/// Collective. Every rank's record, by rank.
template <typename Record>
std::vector<Record> GatherAll(const RankGroup& ranks, const Record& mine)
{
  std::vector<Record> all;
  const Bytes bytes = Encode(mine);
  for (const std::string& text : ranks.AllGatherText(std::string(bytes.begin(), bytes.end())))
  {
    all.push_back(Decode<Record>(Bytes(text.begin(), text.end()), "another rank's record"));
  }
  return all;
}

}
