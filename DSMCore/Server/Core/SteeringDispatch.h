// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Server/Core/Call.h"
#include "Server/Core/ImageManager.h"
#include "Server/Core/PeerRegistry.h"
#include "Server/Core/RequestRouter.h"
#include "Server/Core/RunService.h"
#include "Server/Core/ServerStatus.h"
#include "Steering/SteeringMessages.h"
#include "Steering/SteeringService.h"

namespace dsm
{

/// Passes messages about steering to the SteeringService behind the core's lock.
///
/// The steering service has a lock of its own and sends under it, and it asks the core to save
/// files. So the core never calls it within an event: it posts a task.
class SteeringDispatch
{
public:
  /// All must outlive this.
  SteeringDispatch(SteeringService& steering, RequestRouter& router, PeerRegistry& peers,
    const RunService& runs, const ImageManager& images);

  /// Takes its requests from a router, which must not outlive this service.
  void Serve(RequestRouter& router);
  void Handle(const Call& call, const DeclareProgram& message);
  void Handle(const Call& call, const ReportProgress& message);
  void Handle(const Call& call, const ReportOutcomes& message);
  void Handle(const Call& call, const RequestSteering& message);
  /// A rank without a channel asks as well.
  void Handle(const Call& call, const ReadInteractions& message);

  /// A run has begun.
  void RunBegan(SteeringService::BegunRun run);
  /// Adds what is steered to a status, and answers with it.
  void AnswerStatus(const Call& call, ServerStatus status);
  /// Adds what is steered to a status. Not within an event.
  void FillIn(ServerStatus& status) const;

private:
  template <typename Work>
  void Post(const Call& call, Work work);

  SteeringService& Steering;
  RequestRouter& Router;
  PeerRegistry& Peers;
  const RunService& Runs;
  const ImageManager& Images;
};

}
