// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Memory/QuestionBoard.h"
#include "Server/Core/Call.h"
#include "Server/SlotBoard.h"

namespace dsm
{

/// Answers one question that a rank without a channel has asked in host 0's memory.
class QuestionResponder final : public Responder
{
public:
  /// Both must outlive this.
  QuestionResponder(
    const QuestionBoard& board, const SlotBoard& slots, QuestionBoard::Question question);

  /// If the answer has no room in that memory, the question is refused: the rank asks by a channel.
  void Reply(const RequestId& request, Bytes body) noexcept override;
  void Refuse(const RequestId& request, const std::exception& error) noexcept override;

private:
  const QuestionBoard& Board;
  const SlotBoard& Slots;
  const QuestionBoard::Question Question;
};

}
