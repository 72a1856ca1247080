// SPDX-License-Identifier: BSD-3-Clause
/**
 * @class   vtkDSMServer
 * @brief   The hosts of a distributed shared memory, as an object of ParaView's server.
 *
 * The server-side object of the proxy DSMServer: every rank of the process's controller lends
 * memory, and simulations write their HDF5 files into it (dsm::Server). While it runs, the DSM's
 * driver is the default of this process's HDF5, so that every reader opens snapshots by name:
 * contact file, '#', number.
 *
 * Each command is called on all ranks together, as proxies do it, and ends on all with the same
 * result. A command that fails says why once and leaves the text in CommandError.
 */
#ifndef vtkDSMServer_h
#define vtkDSMServer_h

#include "vtkDSMPluginModule.h" // For export macro

#include <vtkObject.h>

#include <functional> // For std::function
#include <memory>     // For std::unique_ptr
#include <string>     // For std::string

class vtkDoubleArray;
class vtkIdTypeArray;
class vtkStringArray;

class VTKDSMPLUGIN_EXPORT vtkDSMServer : public vtkObject
{
public:
  static vtkDSMServer* New();
  vtkTypeMacro(vtkDSMServer, vtkObject);
  vtkDSMServer(const vtkDSMServer&) = delete;
  void operator=(const vtkDSMServer&) = delete;
  void PrintSelf(ostream& os, vtkIndent indent) override;

  enum FullRingPolicy
  {
    DROP_OLDEST = 0,
    BLOCK = 1,
    DROP_NEWEST = 2
  };

  ///@{
  /// \name Settings, read at Start; all but ContactFile also while running, in ApplySettings.
  vtkSetStdStringFromCharMacro(ContactFile);
  vtkGetCharFromStdStringMacro(ContactFile);
  /// How file addresses spread over the hosts: "block cyclic", "random block", "contiguous" or
  /// "mask". "automatic" or empty: this machine's default.
  vtkSetStdStringFromCharMacro(Strategy);
  vtkGetCharFromStdStringMacro(Strategy);
  /// Bytes of a block, for strategies that have blocks; 0: this machine's default.
  vtkSetMacro(BlockSize, vtkIdType);
  vtkGetMacro(BlockSize, vtkIdType);
  /// Blocks dealt to the hosts in one cycle; 0: one to each.
  vtkSetMacro(BlocksPerCycle, vtkIdType);
  vtkGetMacro(BlocksPerCycle, vtkIdType);
  /// Of the random order of blocks.
  vtkSetMacro(Seed, vtkIdType);
  vtkGetMacro(Seed, vtkIdType);
  /// MiB each rank lends; 0: a quarter of what the node has available, shared by its ranks.
  vtkSetMacro(MemoryPerHost, vtkIdType);
  vtkGetMacro(MemoryPerHost, vtkIdType);
  vtkSetMacro(MaximumSnapshots, int);
  vtkGetMacro(MaximumSnapshots, int);
  /// What happens when there is no room for a new file.
  vtkSetMacro(FullRing, int);
  vtkGetMacro(FullRing, int);
  /// Seconds a simulation waits for room at most.
  vtkSetMacro(FullRingLimit, double);
  vtkGetMacro(FullRingLimit, double);
  /// How bytes reach hosts on other nodes, as DSM_TRANSPORT says it; "automatic" or empty: this
  /// machine's default.
  vtkSetStdStringFromCharMacro(Transport);
  vtkGetCharFromStdStringMacro(Transport);
  /// How transfers of fewer bytes than SmallTransferSize do; "same" or empty: by Transport.
  vtkSetStdStringFromCharMacro(SmallTransport);
  vtkGetCharFromStdStringMacro(SmallTransport);
  vtkSetMacro(SmallTransferSize, vtkIdType);
  vtkGetMacro(SmallTransferSize, vtkIdType);
  /// When a file is seen: at its close (0), or at each flush as well (1).
  vtkSetMacro(Publish, int);
  vtkGetMacro(Publish, int);
  /// Which files simulations send here: shell patterns with ':' between them.
  vtkSetStdStringFromCharMacro(NamePattern);
  vtkGetCharFromStdStringMacro(NamePattern);
  /// Bytes of a file to make memory ready for at Start; 0: learn from the first.
  vtkSetMacro(ExpectedFileSize, vtkIdType);
  vtkGetMacro(ExpectedFileSize, vtkIdType);
  ///@}

  ///@{
  /// \name For those who only set properties: state files and the panel.
  /// Whether to lend memory. Takes effect, with all settings, in ApplySettings.
  void SetActive(int active);
  vtkGetMacro(Active, int);
  /// After a group of settings, on all ranks: starts or stops as Active was set. While running,
  /// changes what was set: see PendingChanges for what counts when.
  void ApplySettings();
  /// Whether the information below is of the moment it is asked for, which rank 0 answers alone.
  vtkSetMacro(Live, int);
  vtkGetMacro(Live, int);
  /// With Live: how many of the newest samples of each observable SteeringStatus has; 0: it is
  /// empty.
  vtkSetMacro(SteeringHistory, int);
  vtkGetMacro(SteeringHistory, int);
  ///@}

  ///@{
  /// \name What the next command works on.
  /// WaitForSnapshot: wait for a number above this…
  vtkSetMacro(WaitAfter, vtkIdType);
  vtkGetMacro(WaitAfter, vtkIdType);
  /// … the next in order (1) or the newest (0) …
  vtkSetMacro(WaitNext, int);
  vtkGetMacro(WaitNext, int);
  /// … for this many seconds.
  vtkSetMacro(WaitSeconds, double);
  vtkGetMacro(WaitSeconds, double);
  /// Release, SaveSnapshot, Pin and Unpin: the snapshot's number.
  vtkSetMacro(Number, vtkIdType);
  vtkGetMacro(Number, vtkIdType);
  /// SaveSnapshot: the file to write.
  vtkSetStdStringFromCharMacro(SavePath);
  vtkGetCharFromStdStringMacro(SavePath);
  /// Steer: the request, JSON as DSMCore/Steering/README.md has it.
  vtkSetStdStringFromCharMacro(SteerRequest);
  vtkGetCharFromStdStringMacro(SteerRequest);
  ///@}

  ///@{
  /// \name Commands, on all ranks.
  void Start();
  void Stop();
  /// Waits, then fills FoundNumber (held until Release or Stop), Finished and Waited, and
  /// refreshes.
  void WaitForSnapshot();
  /// Lets a found snapshot go: it counts as read.
  void Release();
  /// Writes a snapshot byte by byte to a plain HDF5 file.
  void SaveSnapshot();
  /// Keeps a snapshot in the ring until Unpin or Stop.
  void Pin();
  void Unpin();
  /// Applies changes to a simulation, waits for them, or asks what can be steered: see SteerReply.
  void Steer();
  /// Copies the server's status of this moment into the information below.
  void Refresh();
  ///@}

  ///@{
  /// \name The last command's outcome.
  vtkGetCharFromStdStringMacro(CommandError);
  /// What Steer was answered, JSON.
  vtkGetCharFromStdStringMacro(SteerReply);
  /// 0 when none came.
  vtkGetMacro(FoundNumber, vtkIdType);
  /// 1 when no simulation is connected any more, one was, and nothing newer is there.
  vtkGetMacro(Finished, int);
  /// Seconds spent waiting, by rank 0's clock.
  vtkGetMacro(Waited, double);
  ///@}

  ///@{
  /// \name Information, as of the last command, or of this moment when Live.
  /// Absolute path of the contact file while running, else empty.
  const char* GetContactPath();
  /// How a simulation is started so that it finds this server; empty while not running.
  const char* GetLaunchCommand();
  int GetNumberOfHosts();
  const char* GetState();
  const char* GetLastError();
  double GetLastErrorAt();
  /// What counts now; before Start, what it would be.
  const char* GetEffectiveStrategy();
  vtkIdType GetEffectiveBlockSize();
  const char* GetEffectiveTransport();
  vtkIdType GetEffectiveMemoryPerHost();
  int GetEffectiveFullRing();
  double GetEffectiveFullRingLimit();
  int GetEffectiveMaximumSnapshots();
  /// Most bytes per host that the running server can be set to.
  vtkIdType GetMemoryRoom();
  /// What was changed and does not count yet, for people; empty when all counts.
  const char* GetPendingChanges();
  /// The transports that serve, one line each.
  vtkStringArray* GetTransports();
  const char* GetWriters();
  vtkStringArray* GetWriterPrograms();
  vtkIdTypeArray* GetWriterRanks();
  vtkStringArray* GetWriterHosts();
  vtkStringArray* GetWriterMpis();
  vtkDoubleArray* GetWriterSince();
  /// The file that is being written; empty when there is none.
  const char* GetReceiving();
  vtkIdType GetWritersSeen();
  vtkIdType GetSnapshotsSealed();
  vtkIdType GetSnapshotsDropped();
  vtkIdType GetSnapshotsSkipped();
  vtkIdType GetImagesAbandoned();
  vtkIdType GetMemoryUsed();
  vtkIdType GetMemoryBudget();
  /// Bytes received and seconds blocked since Start; bytes per second of the newest snapshot; how
  /// long a simulation has been waiting for room.
  vtkIdType GetBytesReceived();
  double GetThroughput();
  double GetBlockedSeconds();
  double GetWaitingSeconds();
  vtkIdTypeArray* GetSnapshotNumbers();
  vtkStringArray* GetSnapshotFiles();
  vtkDoubleArray* GetSnapshotSteps();
  vtkIdTypeArray* GetSnapshotFileSizes();
  vtkIdTypeArray* GetSnapshotBytes();
  vtkDoubleArray* GetSnapshotWriteSeconds();
  vtkDoubleArray* GetSnapshotBlockedSeconds();
  vtkDoubleArray* GetSnapshotSealedAt();
  vtkIdTypeArray* GetSnapshotPinned();
  /// Bytes that transfers put to each host: of the newest snapshot, and since Start; memory in use
  /// there.
  vtkIdTypeArray* GetHostBytes();
  vtkIdTypeArray* GetHostBytesReceived();
  vtkIdTypeArray* GetHostMemoryUsed();
  /// What can be steered, and what became of changes: the answer to {"do": "status"}. See
  /// SteeringHistory.
  const char* GetSteeringStatus();
  ///@}

protected:
  vtkDSMServer();
  ~vtkDSMServer() override;

private:
  // No defaults: an object's proxy pushes those of the XML when it makes the object.
  std::string ContactFile;
  std::string Strategy;
  vtkIdType BlockSize = 0;
  vtkIdType BlocksPerCycle = 0;
  vtkIdType Seed = 0;
  vtkIdType MemoryPerHost = 0;
  int MaximumSnapshots = 0;
  int FullRing = 0;
  double FullRingLimit = 0;
  vtkIdType ExpectedFileSize = 0;
  std::string Transport;
  std::string SmallTransport;
  vtkIdType SmallTransferSize = 0;
  int Publish = 0;
  std::string NamePattern;

  int Active = 0;
  bool ActiveChanged = false;
  int Live = 0;
  int SteeringHistory = 0;
  std::string SteeringStatus;

  vtkIdType WaitAfter = 0;
  int WaitNext = 0;
  double WaitSeconds = 0;
  vtkIdType Number = 0;
  std::string SavePath;
  std::string SteerRequest;
  std::string SteerReply;

  std::string CommandError;
  vtkIdType FoundNumber = 0;
  int Finished = 0;
  double Waited = 0;

  void Attempt(const std::function<void()>& work);
  void StartNow();
  void StopNow();

  class vtkInternals;
  std::unique_ptr<vtkInternals> Internals;
};

#endif
