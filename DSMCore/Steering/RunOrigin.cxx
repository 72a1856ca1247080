// SPDX-License-Identifier: BSD-3-Clause
#include "Steering/RunOrigin.h"

namespace dsm
{

void Describe(Fields& fields, RunOrigin& origin)
{
  fields("Run", origin.Run);
  fields("Program", origin.Program);
  fields("Stream", origin.Stream);
  fields("Snapshot", origin.Snapshot);
  fields("FileName", origin.FileName);
  fields("Step", origin.Step);
  fields("SealedAt", origin.SealedAt);
}

}
