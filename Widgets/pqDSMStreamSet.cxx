// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMStreamSet.h"

#include "pqDSMCheckpoint.h"
#include "pqDSMComparison.h"
#include "pqDSMFixedReaders.h"
#include "pqDSMReadSettings.h"
#include "pqDSMSceneTime.h"

#include <pqApplicationCore.h>
#include <pqPipelineSource.h>
#include <pqServer.h>
#include <pqServerManagerModel.h>
#include <vtkSMPropertyHelper.h>
#include <vtkSMSourceProxy.h>

#include <algorithm>

namespace
{
// More are not shown by themselves: a simulation may give each file a name of its own.
constexpr int MostAutomatic = 4;
}

void pqDSMStreamSet::clear()
{
  this->All.clear();
  this->Groups.clear();
  this->Ticks.clear();
}

void pqDSMStreamSet::setStatus(pqServer* server, const pqDSMStatus& status)
{
  this->Server = server;
  this->ContactPath = status.ContactPath;
  this->Groups = this->Known.of(status);
}

void pqDSMStreamSet::update(bool following)
{
  int current = 0;
  for (const auto& group : this->Groups)
  {
    current += group.Current ? 1 : 0;
    if (group.Current && !this->find(group.Stream))
    {
      this->add(group, following);
    }
  }
  std::erase_if(this->All,
    [this](const auto& one)
    {
      return !one->reader() && one->state().reader() == pqDSMFollowState::ReaderState::Missing &&
        !this->present(one->name());
    });
  for (const auto& stream : this->All)
  {
    this->findReader(*stream);
    if (current > 1)
    {
      // A reader of all files was enough until now.
      stream->setPattern();
      stream->showName(this->ContactPath);
    }
  }
}

// Adds a stream that has come: with its own reader, that of a simulation that has ended, or none.
void pqDSMStreamSet::add(const pqDSMStreams::Group& group, bool following)
{
  const QString& name = group.Stream;
  const auto readers = this->readersInPipeline();
  const auto own = std::find_if(readers.begin(), readers.end(),
    [&](pqPipelineSource* one) { return !this->owns(one) && pqDSMStream::pattern(one) == name; });
  const auto ended = std::find_if(this->All.begin(), this->All.end(),
    [&](const auto& one)
    {
      // How to read one stream's files may be wrong for the other's.
      return one->reader() && one->isWanted() && !this->present(one->name()) &&
        pqDSMReadSettings::areDefault(one->proxy());
    });
  const auto count = std::count_if(this->All.begin(), this->All.end(),
    [&](const auto& one) { return one->isWanted() && this->present(one->name()); });
  // A file from disk is not drawn over what a simulation shows until somebody asks for it.
  const bool isOver = group.isRestored() && count > 0;
  const bool wanted = this->Ticks.value(
    name, !pqDSMCheckpoint::isName(name.toStdString()) && !isOver && count < MostAutomatic);
  if (wanted && own == readers.end() && ended != this->All.end())
  {
    (*ended)->rename(name);
    return;
  }
  auto stream = std::make_unique<pqDSMStream>(name);
  stream->state().setAutomatic(this->Automatic);
  stream->setWanted(wanted);
  if (!following)
  {
    stream->state().hold(pqDSMSceneTime::get(this->Server));
  }
  this->All.push_back(std::move(stream));
}

// Readers come and go without us: by hand, by a state file, by undo.
void pqDSMStreamSet::findReader(pqDSMStream& stream)
{
  if (stream.reader())
  {
    return;
  }
  stream.state().readerRemoved();
  const auto readers = this->readersInPipeline();
  const auto take = [&](const auto& suits)
  {
    const auto found = std::find_if(readers.begin(), readers.end(),
      [&](pqPipelineSource* one) { return !this->owns(one) && suits(one); });
    if (found != readers.end())
    {
      stream.setReader(*found);
    }
    return stream.reader() != nullptr;
  };
  const auto isOfAll = [](pqPipelineSource* one) { return pqDSMStream::pattern(one).isEmpty(); };
  const auto isOfStream = [&](pqPipelineSource* one)
  { return pqDSMStream::pattern(one) == stream.name(); };
  // A state file may have such a reader.
  const auto isOfNone = [&](pqPipelineSource* one)
  {
    const QString pattern = pqDSMStream::pattern(one);
    return pattern.contains('#') && !pqDSMComparison::isPattern(pattern) &&
      !this->present(pattern) && pqDSMReadSettings::areDefault(one->getProxy());
  };
  if (take(isOfStream) || (stream.isWanted() && (take(isOfAll) || take(isOfNone))))
  {
    if (!pqDSMStream::pattern(stream.reader()).isEmpty())
    {
      stream.setPattern();
    }
    stream.state().readerFound();
  }
}

const pqDSMStreams::Group* pqDSMStreamSet::present(const QString& name) const
{
  const auto found = std::find_if(this->Groups.begin(), this->Groups.end(),
    [&](const auto& group) { return group.Current && group.Stream == name; });
  return found == this->Groups.end() ? nullptr : &*found;
}

pqDSMStream* pqDSMStreamSet::find(const QString& name) const
{
  const auto found = std::find_if(
    this->All.begin(), this->All.end(), [&](const auto& one) { return one->name() == name; });
  return found == this->All.end() ? nullptr : found->get();
}

pqDSMStreamSet::Streams::const_iterator pqDSMStreamSet::firstWithReader() const
{
  return std::find_if(
    this->All.begin(), this->All.end(), [](const auto& one) { return one->reader(); });
}

pqDSMStream* pqDSMStreamSet::owner(const QString& name) const
{
  if (auto* stream = this->find(name))
  {
    return stream;
  }
  const auto first = this->firstWithReader();
  return first != this->All.end() ? first->get()
    : this->All.empty()           ? nullptr
                                  : this->All.front().get();
}

pqPipelineSource* pqDSMStreamSet::reader() const
{
  const auto first = this->firstWithReader();
  return first == this->All.end() ? nullptr : (*first)->reader();
}

std::vector<pqDSMStream*> pqDSMStreamSet::shown() const
{
  std::vector<pqDSMStream*> shown;
  for (const auto& stream : this->All)
  {
    if (stream->reader() && stream->isWanted())
    {
      shown.push_back(stream.get());
    }
  }
  return shown;
}

bool pqDSMStreamSet::owns(const pqPipelineSource* reader) const
{
  return std::any_of(
    this->All.begin(), this->All.end(), [&](const auto& one) { return one->reader() == reader; });
}

std::vector<pqPipelineSource*> pqDSMStreamSet::readersInPipeline() const
{
  return this->allReaders(false);
}

std::vector<pqPipelineSource*> pqDSMStreamSet::fixedReaders() const
{
  return this->allReaders(true);
}

std::vector<pqPipelineSource*> pqDSMStreamSet::allReaders(bool fixed) const
{
  std::vector<pqPipelineSource*> readers;
  auto* model = pqApplicationCore::instance()->getServerManagerModel();
  for (auto* source : model->findItems<pqPipelineSource*>(this->Server))
  {
    if (QString(source->getProxy()->GetXMLName()) == "DSMReader" &&
      pqDSMFixedReaders::isFixed(source) == fixed)
    {
      const QString file = vtkSMPropertyHelper(source->getProxy(), "ContactFile").GetAsString();
      // The server knows the folder of a relative name; the panel does not.
      if (file == this->ContactPath || this->ContactPath.endsWith("/" + file))
      {
        readers.push_back(source);
      }
    }
  }
  return readers;
}

QString pqDSMStreamSet::withoutReader() const
{
  for (const auto& group : this->Groups)
  {
    const auto* stream = group.Current ? this->find(group.Stream) : nullptr;
    if (stream && stream->isWanted() && !stream->reader() &&
      stream->state().reader() == pqDSMFollowState::ReaderState::Dismissed)
    {
      return group.Stream;
    }
  }
  return {};
}

void pqDSMStreamSet::setAutomatic(bool automatic)
{
  this->Automatic = automatic;
  for (const auto& stream : this->All)
  {
    stream->state().setAutomatic(automatic);
  }
}

void pqDSMStreamSet::setWanted(const QString& name, bool wanted)
{
  this->Ticks[name] = wanted;
  if (auto* stream = this->find(name))
  {
    stream->setWanted(wanted);
  }
}
