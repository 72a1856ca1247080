// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Base/Deadline.h"
#include "Encoding/Fields.h"
#include "Memory/SegmentLayout.h"
#include "Protocol/Descriptions.h"
#include "Transport/Transport.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace dsm
{

/// How a rank without a channel asks the coordinator, in the memory of host 0 (QuestionBoard), what
/// is no mere number (SharedGrants is for these). Not thread safe, as the transport is not.
class SharedQuestions
{
public:
  SharedQuestions(std::shared_ptr<Transport> route, const ServerDescription& server);

  /// Asks and waits for the answer, as AnswerWait does. None where the coordinator is silent, or
  /// the message is too long. What is asked may be heard twice.
  std::optional<Bytes> Ask(const Bytes& message, Seconds limit, Seconds silence,
    const std::function<bool()>& hasEnded) const;

private:
  std::vector<std::uint64_t> Load(std::uint64_t offset, std::size_t words) const;
  void Store(std::uint64_t offset, const std::vector<std::uint64_t>& words) const;
  std::optional<std::uint64_t> FreePlace(std::uint64_t first) const;
  std::optional<Bytes> AnswerTo(std::uint64_t check, std::uint64_t place) const;

  std::shared_ptr<Transport> Route;
  SegmentLayout Layout;
};

}
