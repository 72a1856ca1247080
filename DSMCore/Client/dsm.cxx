// SPDX-License-Identifier: BSD-3-Clause
// The C API: every function is a barrier for exceptions.
#pragma GCC visibility push(default)
#include "Client/dsm.h"
#pragma GCC visibility pop

#include "Base/Error.h"
#include "Client/AttachedProcess.h"
#include "Client/SimulationSession.h"
#include "Client/Status.h"
#include "Steering/ReadableText.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <string_view>

struct dsm_session
{
  dsm::SimulationSession Steered;
};

namespace
{
using dsm::Error;
using dsm::Fault;
using dsm::ParameterDeclaration;
using dsm::Value;
using dsm::ValueType;

thread_local std::string lastError; // NOLINT(cert-err58-cpp): the empty string does not throw

// Keeps the exception's text for dsm_last_error. Returns its status. If there is no memory for the
// text, the text is empty.
int NoteError(const char* function, const std::exception_ptr& thrown) noexcept
{
  int status = DSM_ERROR_SYSTEM;
  try
  {
    const Error error = Error::From(thrown);
    status = dsm::StatusOf(error.GetFault());
    lastError = fmt::format("{}: {}", function, error.what());
  }
  catch (...)
  {
    lastError.clear();
  }
  return status;
}

template <typename Work>
int Guarded(const char* function, const Work& work) noexcept
{
  try
  {
    work();
    return DSM_OK;
  }
  catch (...)
  {
    return NoteError(function, std::current_exception());
  }
}

std::string Given(const char* what, const char* text)
{
  if (!text)
  {
    throw Error(Fault::Usage, "the {} is a null pointer", what);
  }
  return text;
}

// Opens a session. A null `mpi` means that this process is the only rank.
int Open(const char* function, const dsm_mpi* mpi, intptr_t comm, const char* contact,
  dsm_session** session)
{
  if (session)
  {
    *session = nullptr;
  }
  return Guarded(function,
    [&]
    {
      if (!session)
      {
        throw Error(Fault::Usage,
          "there is no place for the session: give the address of a "
          "dsm_session* variable");
      }
      *session = new dsm_session{ dsm::SimulationSession(
        mpi ? dsm::ProgramRanks(*mpi, comm) : dsm::ProgramRanks(), contact ? contact : "") };
    });
}

template <typename Work>
int With(const char* function, dsm_session* session, const Work& work)
{
  return session ? Guarded(function, [&] { work(session->Steered); }) : DSM_OK;
}

// Declares a parameter that is a variable of the program.
template <typename Pointer, typename Read, typename Write>
int Declare(const char* function, dsm_session* session, const char* name, Pointer* variable,
  ParameterDeclaration declaration, Read read, Write write)
{
  return With(function, session,
    [&](dsm::SimulationSession& steered)
    {
      declaration.Name = Given("parameter's name", name);
      if (!variable)
      {
        throw Error(Fault::Usage, "the variable of \"{}\" is a null pointer", declaration.Name);
      }
      steered.Variables().AddParameter(std::move(declaration),
        { [variable, read] { return Value(read(variable)); },
          [variable, write](const Value& value) { write(variable, value); } });
    });
}

ParameterDeclaration OfType(ValueType type)
{
  ParameterDeclaration declaration;
  declaration.Type = type;
  return declaration;
}

std::string ElementName(enum dsm_type type)
{
  switch (type)
  {
    case DSM_UINT8:
      return "uint8";
    case DSM_INT32:
      return "int32";
    case DSM_INT64:
      return "int64";
    case DSM_FLOAT:
      return "float32";
    case DSM_DOUBLE:
      return "float64";
  }
  throw Error(Fault::Usage, "{} is no dsm_type", static_cast<int>(type));
}

std::vector<std::uint64_t> Sizes(const char* what, int rank, const size_t* sizes)
{
  constexpr int most = 32; // as in HDF5
  if (rank < 1 || rank > most || !sizes)
  {
    throw Error(Fault::Usage,
      "an array has 1 to {} directions and {} in each of them, not {} directions{}", most, what,
      rank, sizes ? "" : " and a null pointer");
  }
  return { sizes, sizes + rank };
}

std::vector<std::string> Choices(const std::string& name, const std::string& text)
{
  std::vector<std::string> choices;
  for (std::size_t begin = 0; begin <= text.size();)
  {
    const std::size_t end = std::min(text.find('|', begin), text.size());
    auto choice = text.substr(begin, end - begin);
    dsm::CheckName("choice of " + name, choice);
    if (std::find(choices.begin(), choices.end(), choice) != choices.end())
    {
      throw Error(Fault::Usage, "\"{}\" has the choice \"{}\" twice", name, choice);
    }
    choices.push_back(std::move(choice));
    begin = end + 1;
  }
  return choices;
}
}

const char* dsm_last_error(void)
{
  return lastError.c_str();
}

int dsm_open_mpi(const dsm_mpi* mpi, intptr_t comm, const char* contact, dsm_session** session)
{
  return Open("dsm_open", mpi, comm, contact, session);
}

int dsm_open_serial(const char* contact, dsm_session** session)
{
  return Open("dsm_open_serial", nullptr, 0, contact, session);
}

int dsm_attach(const char* contact)
{
  return Guarded("dsm_attach", [&] { dsm::attachedprocess::Attach(contact ? contact : ""); });
}

int dsm_detach(void)
{
  return Guarded("dsm_detach", [] { dsm::attachedprocess::Detach(); });
}

int dsm_close(dsm_session** session)
{
  return Guarded("dsm_close",
    [&]
    {
      if (session)
      {
        delete *session;
        *session = nullptr;
      }
    });
}

int dsm_bool(dsm_session* session, const char* name, bool* value)
{
  return Declare(
    "dsm_bool", session, name, value, OfType(ValueType::Bool),
    [](const bool* variable) { return *variable; },
    [](bool* variable, const Value& set) { *variable = std::get<bool>(set); });
}

int dsm_int64(dsm_session* session, const char* name, int64_t* value)
{
  return Declare(
    "dsm_int64", session, name, value, OfType(ValueType::Integer),
    [](const int64_t* variable) { return *variable; },
    [](int64_t* variable, const Value& set) { *variable = std::get<std::int64_t>(set); });
}

int dsm_double(dsm_session* session, const char* name, double* value)
{
  return Declare(
    "dsm_double", session, name, value, OfType(ValueType::Real),
    [](const double* variable) { return *variable; },
    [](double* variable, const Value& set) { *variable = std::get<double>(set); });
}

int dsm_vector(dsm_session* session, const char* name, double value[3])
{
  return Declare(
    "dsm_vector", session, name, value, OfType(ValueType::Vector),
    [](const double* variable) { return dsm::Vector3{ variable[0], variable[1], variable[2] }; },
    [](double* variable, const Value& set)
    {
      const auto& vector = std::get<dsm::Vector3>(set);
      std::copy(vector.begin(), vector.end(), variable);
    });
}

int dsm_enum(dsm_session* session, const char* name, int* value, const char* choices)
{
  return With("dsm_enum", session,
    [&](dsm::SimulationSession& steered)
    {
      auto declaration = OfType(ValueType::Choice);
      declaration.Name = Given("parameter's name", name);
      declaration.Choices = Choices(declaration.Name, Given("list of choices", choices));
      const auto count = static_cast<int>(declaration.Choices.size());
      if (!value || *value < 0 || *value >= count)
      {
        throw Error(Fault::Usage, "\"{}\" needs a variable that holds a choice from 0 to {}",
          declaration.Name, count - 1);
      }
      const auto texts = declaration.Choices;
      dsm::Bindings::Variable variable;
      variable.Read = [value, texts, count]
      { return Value(texts[static_cast<std::size_t>(std::clamp(*value, 0, count - 1))]); };
      variable.Write = [value, texts](const Value& set)
      {
        const auto found = std::find(texts.begin(), texts.end(), std::get<std::string>(set));
        *value = static_cast<int>(found - texts.begin());
      };
      steered.Variables().AddParameter(std::move(declaration), std::move(variable));
    });
}

int dsm_string(dsm_session* session, const char* name, char* value, size_t size)
{
  auto declaration = OfType(ValueType::Text);
  declaration.Capacity = size > 1 ? size - 1 : 0;
  return Declare(
    "dsm_string", session, name, size > 1 ? value : nullptr, std::move(declaration),
    [size](const char* variable)
    { return dsm::ReadableText(std::string(variable, strnlen(variable, size))); },
    [](char* variable, const Value& set)
    {
      const auto& text = std::get<std::string>(set);
      std::memcpy(variable, text.c_str(), text.size() + 1);
    });
}

int dsm_string_padded(dsm_session* session, const char* name, char* value, size_t size)
{
  auto declaration = OfType(ValueType::Text);
  declaration.Capacity = size;
  return Declare(
    "dsm_string_padded", session, name, size > 0 ? value : nullptr, std::move(declaration),
    [size](const char* variable)
    {
      const std::string_view padded(variable, size);
      return dsm::ReadableText(std::string(padded.substr(0, padded.find_last_not_of(' ') + 1)));
    },
    [size](char* variable, const Value& set)
    {
      const auto& text = std::get<std::string>(set);
      std::memset(variable, ' ', size);
      std::copy(text.begin(), text.end(), variable); // no ending zero
    });
}

int dsm_array(dsm_session* session, const char* name, enum dsm_type type, int rank,
  const size_t* sizes, void* values)
{
  return With("dsm_array", session,
    [&](dsm::SimulationSession& steered)
    {
      steered.Arrays().AddStacked(Given("array's name", name),
        { ElementName(type), Sizes("sizes", rank, sizes) }, static_cast<std::byte*>(values));
    });
}

int dsm_array_block(dsm_session* session, const char* name, enum dsm_type type, int rank,
  const size_t* sizes, const size_t* starts, const size_t* counts, void* values)
{
  return With("dsm_array_block", session,
    [&](dsm::SimulationSession& steered)
    {
      steered.Arrays().AddBlock(Given("array's name", name),
        { ElementName(type), Sizes("sizes", rank, sizes) }, Sizes("starts", rank, starts),
        Sizes("counts", rank, counts), static_cast<std::byte*>(values));
    });
}

bool dsm_changed(const dsm_session* session, const char* name)
{
  return session && name && session->Steered.Variables().HasChanged(name);
}

int dsm_minimum(dsm_session* session, const char* name, double minimum)
{
  return With("dsm_minimum", session,
    [&](auto& steered) { steered.Variables().SetMinimum(Given("name", name), minimum); });
}

int dsm_maximum(dsm_session* session, const char* name, double maximum)
{
  return With("dsm_maximum", session,
    [&](auto& steered) { steered.Variables().SetMaximum(Given("name", name), maximum); });
}

int dsm_range(dsm_session* session, const char* name, double minimum, double maximum)
{
  return With("dsm_range", session,
    [&](auto& steered)
    {
      if (minimum > maximum)
      {
        throw Error(Fault::Usage, "the range of \"{}\" is empty: {} is above {}",
          Given("name", name), minimum, maximum);
      }
      steered.Variables().SetMinimum(Given("name", name), minimum);
      steered.Variables().SetMaximum(name, maximum);
    });
}

int dsm_unit(dsm_session* session, const char* name, const char* unit)
{
  return With("dsm_unit", session,
    [&](auto& steered) { steered.Variables().SetUnit(Given("name", name), Given("unit", unit)); });
}

int dsm_text(dsm_session* session, const char* name, const char* text)
{
  return With("dsm_text", session,
    [&](auto& steered) { steered.Variables().SetText(Given("name", name), Given("text", text)); });
}

int dsm_group(dsm_session* session, const char* name, const char* group)
{
  return With("dsm_group", session, [&](auto& steered)
    { steered.Variables().SetGroup(Given("name", name), Given("group", group)); });
}

int dsm_meaning(dsm_session* session, const char* name, const char* meaning)
{
  return With("dsm_meaning", session, [&](auto& steered)
    { steered.Variables().SetMeaning(Given("name", name), Given("meaning", meaning)); });
}

int dsm_command(dsm_session* session, const char* name, dsm_action action, void* data)
{
  return With("dsm_command", session,
    [&](auto& steered)
    {
      dsm::CommandDeclaration declaration;
      declaration.Name = Given("command's name", name);
      std::function<void(std::int64_t)> call;
      if (action)
      {
        call = [action, data](std::int64_t) { action(data); };
      }
      steered.Variables().AddCommand(std::move(declaration), std::move(call));
    });
}

int64_t dsm_commanded(const dsm_session* session, const char* name)
{
  std::int64_t count = 0;
  if (session && name)
  {
    auto* steered = const_cast<dsm_session*>(session);
    Guarded("dsm_commanded", [&] { count = steered->Steered.Variables().Commanded(name); });
  }
  return count;
}

int dsm_observable(dsm_session* session, const char* name)
{
  return With("dsm_observable", session,
    [&](auto& steered)
    {
      dsm::ObservableDeclaration declaration;
      declaration.Name = Given("observable's name", name);
      steered.Variables().AddObservable(std::move(declaration));
    });
}

int dsm_observe(dsm_session* session, const char* name, double value)
{
  return With("dsm_observe", session,
    [&](auto& steered) { steered.Variables().Observe(Given("observable's name", name), value); });
}

int dsm_step(dsm_session* session, int64_t step, double time)
{
  return With("dsm_step", session, [&](auto& steered) { steered.Step(step, time); });
}

bool dsm_running(const dsm_session* session)
{
  return !session || !session->Steered.Control().Stopping();
}

bool dsm_connected(const dsm_session* session)
{
  bool connected = false;
  if (session)
  {
    Guarded("dsm_connected", [&] { connected = session->Steered.Connected(); });
  }
  return connected;
}

int dsm_last_step(dsm_session* session, int64_t step)
{
  return With("dsm_last_step", session, [&](auto& steered) { steered.Length().SetLast(step); });
}

int dsm_output_interval(dsm_session* session, int64_t interval)
{
  return With("dsm_output_interval", session,
    [&](auto& steered) { steered.Control().OfferOutput(interval); });
}

int dsm_output_action(dsm_session* session, dsm_action write, void* data)
{
  return With("dsm_output_action", session,
    [&](auto& steered)
    {
      if (write)
      {
        steered.Control().SetWriter([write, data] { write(data); });
      }
      else
      {
        steered.Control().SetWriter({});
      }
    });
}

bool dsm_output_due(const dsm_session* session)
{
  bool due = false;
  if (session)
  {
    Guarded("dsm_output_due", [&] { due = session->Steered.Control().OutputDue(); });
  }
  return due;
}

bool dsm_enabled(dsm_session* session, const char* path)
{
  bool enabled = true;
  With("dsm_enabled", session,
    [&](auto& steered) { enabled = steered.Control().Enabled(Given("path", path)); });
  return enabled;
}
