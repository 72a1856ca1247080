// SPDX-License-Identifier: BSD-3-Clause
#include "Server/QuestionResponder.h"

#include "Base/Error.h"
#include "Base/Log.h"
#include "Control/Envelope.h"
#include "Memory/SegmentLayout.h"

#include <string>
#include <utility>

namespace dsm
{

QuestionResponder::QuestionResponder(
  const QuestionBoard& board, const SlotBoard& slots, QuestionBoard::Question question)
  : Board(board)
  , Slots(slots)
  , Question(std::move(question))
{
}

void QuestionResponder::Reply(const RequestId& request, Bytes body) noexcept
{
  try
  {
    const Envelope answer{ Envelope::Kind::Reply, {}, 0, std::move(body), {}, {} };
    if (this->Board.Answer(this->Question, EncodeEnvelope(answer)))
    {
      this->Slots.RingAnswers();
      return;
    }
    this->Refuse(
      request, Error(Fault::Unsupported, "the answer has no room in the DSM server's memory"));
  }
  catch (const std::exception& error)
  {
    Log().warn("a question in memory was not answered: {}", error.what());
  }
}

void QuestionResponder::Refuse(const RequestId&, const std::exception& error) noexcept
{
  try
  {
    const Error why = Error::From(error);
    const Envelope refusal{ Envelope::Kind::Refusal, {}, 0, {}, why.GetFault(),
      std::string(why.what()).substr(0, SegmentLayout::LongestReason) };
    if (this->Board.Answer(this->Question, EncodeEnvelope(refusal)))
    {
      this->Slots.RingAnswers();
    }
  }
  catch (const std::exception& failure)
  {
    Log().warn("a question in memory was not answered: {}", failure.what());
  }
}

}
