// SPDX-License-Identifier: BSD-3-Clause
#include "vtkDSMSampledArray.h"

#include "ArrayElements.h"
#include "ArraySampler.h"
#include "ArraySummary.h"
#include "Base/Error.h"
#include "Encoding/Encoding.h"
#include "HostServer.h"
#include "Mpi/Agreement.h"
#include "Mpi/Communicator.h"
#include "vtkDSMServer.h"

#include <vtkDataObject.h>
#include <vtkInformation.h>
#include <vtkInformationVector.h>
#include <vtkMultiProcessController.h>
#include <vtkObjectFactory.h>
#include <vtkSmartPointer.h>
#include <vtkStreamingDemandDrivenPipeline.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

using dsm::Error;
using dsm::Fault;

class vtkDSMSampledArray::vtkInternals
{
public:
  vtkSmartPointer<vtkDataObject> Inputs[2]; ///< of the last request
  dsm::ArrayShape Shape;
  std::vector<std::byte> Elements; ///< on rank 0; empty: none were taken
};

namespace
{
// Holds what the client shows.
struct Report
{
  std::string How;
  std::uint64_t Elements = 0;
  std::uint64_t Outside = 0; ///< of these, where the source has no data
  ArraySummary Values;
  std::optional<ArraySummary> Difference;
  std::string NoDifference; ///< why there is none
};

void Describe(dsm::Fields& fields, Report& report)
{
  fields("How", report.How);
  fields("Elements", report.Elements);
  fields("Outside", report.Outside);
  fields("Values", report.Values);
  fields("Difference", report.Difference);
  fields("NoDifference", report.NoDifference);
}

// Sets the elements of places without data. Returns how many there are.
std::uint64_t FillOutside(std::vector<std::byte>& elements, const std::vector<std::uint8_t>& known,
  const std::vector<std::byte>& outside)
{
  const std::uint64_t perPlace = elements.size() / std::max<std::size_t>(known.size(), 1);
  std::uint64_t count = 0;
  for (std::size_t place = 0; place < known.size(); ++place)
  {
    for (std::uint64_t offset = 0; !known[place] && offset < perPlace; offset += outside.size())
    {
      std::memcpy(elements.data() + place * perPlace + offset, outside.data(), outside.size());
      ++count;
    }
  }
  return count;
}

// Compares the numbers with the array that was sent last.
void Compare(Report& report, const HostServer& server, const HostServer::Array& declared,
  std::vector<double> numbers)
{
  if (declared.Sent.empty())
  {
    report.NoDifference = "nothing was sent yet";
    return;
  }
  try
  {
    const auto before =
      NumbersOf(server.ReadArray(dsm::SentArray::FromText(declared.Sent)), declared.Shape.Element);
    for (std::size_t index = 0; index < numbers.size() && index < before.size(); ++index)
    {
      numbers[index] -= before[index];
    }
    report.Difference = ArraySummary::Of(numbers, declared.Shape.Sizes);
  }
  catch (const std::exception& error)
  {
    report.NoDifference = error.what();
  }
}
}

vtkStandardNewMacro(vtkDSMSampledArray);

vtkDSMSampledArray::vtkDSMSampledArray()
  : Internals(std::make_unique<vtkInternals>())
{
  this->SetNumberOfInputPorts(2);
  this->SetNumberOfOutputPorts(0);
}

vtkDSMSampledArray::~vtkDSMSampledArray() = default;

void vtkDSMSampledArray::SetServer(vtkDSMServer* server)
{
  this->Server = server;
}

int vtkDSMSampledArray::FillInputPortInformation(int port, vtkInformation* info)
{
  info->Set(vtkAlgorithm::INPUT_REQUIRED_DATA_TYPE(), "vtkDataObject");
  if (port == 1)
  {
    info->Set(vtkAlgorithm::INPUT_IS_OPTIONAL(), 1);
  }
  return 1;
}

vtkTypeBool vtkDSMSampledArray::ProcessRequest(
  vtkInformation* request, vtkInformationVector** inputs, vtkInformationVector* outputs)
{
  using Pipeline = vtkStreamingDemandDrivenPipeline;
  for (int port = 0; port < 2; ++port)
  {
    auto* input = inputs[port]->GetInformationObject(0);
    if (!input)
    {
      continue;
    }
    if (request->Has(Pipeline::REQUEST_UPDATE_EXTENT()))
    {
      auto* controller = vtkMultiProcessController::GetGlobalController();
      input->Set(Pipeline::UPDATE_PIECE_NUMBER(), controller ? controller->GetLocalProcessId() : 0);
      input->Set(
        Pipeline::UPDATE_NUMBER_OF_PIECES(), controller ? controller->GetNumberOfProcesses() : 1);
      input->Set(Pipeline::UPDATE_NUMBER_OF_GHOST_LEVELS(), 0);
      if (this->HasTime)
      {
        input->Set(Pipeline::UPDATE_TIME_STEP(), this->Time);
      }
    }
    else if (request->Has(vtkDemandDrivenPipeline::REQUEST_DATA()))
    {
      if (auto* data = input->Get(vtkDataObject::DATA_OBJECT()))
      {
        // The source puts its next data into the same object.
        this->Internals->Inputs[port].TakeReference(data->NewInstance());
        this->Internals->Inputs[port]->ShallowCopy(data);
      }
    }
  }
  return this->Superclass::ProcessRequest(request, inputs, outputs);
}

// Converts an exception of a command, which is thrown on all ranks alike. Nothing is printed: the
// panel or the script shows the reason.
void vtkDSMSampledArray::RunCommand(const std::function<void()>& work)
{
  this->CommandError.clear();
  try
  {
    if (!this->Server)
    {
      throw Error(Fault::Usage, "the array has no DSM server");
    }
    work();
  }
  catch (const std::exception& error)
  {
    this->CommandError = error.what();
  }
}

void vtkDSMSampledArray::Sample()
{
  this->Description.clear();
  this->Stored.clear();
  this->Internals->Elements.clear();
  this->RunCommand(
    [this]
    {
      auto& internals = *this->Internals;
      const HostServer& server = this->Server->Hosts();
      const auto& ranks = server.Communicator();
      const auto declared = server.FindArray(this->Program, this->Parameter);
      internals.Shape = declared.Shape;
      for (auto& input : internals.Inputs)
      {
        input = nullptr;
      }
      this->Modified();
      this->Update();
      const auto inputs = internals.Inputs;
      dsm::Agree(ranks,
        [&]
        {
          if (!inputs[0] || (this->GetNumberOfInputConnections(1) > 0 && !inputs[1]))
          {
            throw Error(Fault::Refused, "the source's data cannot be made");
          }
        });
      auto* info = this->GetInputArrayInformation(0);
      const ArraySampler::Source source{
        info->Has(vtkDataObject::FIELD_NAME()) ? info->Get(vtkDataObject::FIELD_NAME()) : "",
        info->Get(vtkDataObject::FIELD_ASSOCIATION())
      };
      ArraySampler::Plan plan;
      auto joined = ArraySampler(ranks, declared.Shape, source, this->Coverage != 0)
                      .Take(inputs[0], inputs[1], plan);
      this->Description = dsm::RunOnRankZero(ranks,
        [&]
        {
          Report report;
          report.How = plan.How;
          report.Outside = FillOutside(
            joined.Elements, joined.Known, ElementOf(this->Outside, declared.Shape.Element));
          const auto numbers = NumbersOf(joined.Elements, declared.Shape.Element);
          report.Elements = numbers.size();
          report.Values = ArraySummary::Of(numbers, declared.Shape.Sizes);
          Compare(report, server, declared, numbers);
          return dsm::ToText(report);
        });
      internals.Elements = std::move(joined.Elements);
    });
}

void vtkDSMSampledArray::Store()
{
  this->Stored.clear();
  this->RunCommand(
    [this]
    {
      const HostServer& server = this->Server->Hosts();
      dsm::RunOnRankZero(server.Communicator(),
        [this]
        {
          if (this->Internals->Elements.empty())
          {
            throw Error(Fault::Usage, "no values were taken: call Sample first");
          }
        });
      this->Stored =
        server.StoreArray(this->Parameter, this->Internals->Shape, this->Internals->Elements.data())
          .Text();
    });
}

void vtkDSMSampledArray::PrintSelf(ostream& os, vtkIndent indent)
{
  this->Superclass::PrintSelf(os, indent);
  os << indent << "Parameter: " << this->Parameter << "\n";
  os << indent << "CommandError: " << this->CommandError << "\n";
  os << indent << "Description: " << this->Description << "\n";
}
