// SPDX-License-Identifier: BSD-3-Clause
/**
 * @class   vtkDSMServer
 * @brief   The hosts of a distributed shared memory, as an object of ParaView's server.
 *
 * The server-side object of the proxy DSMServer: every rank of VTK's global controller lends
 * memory, and simulations write their HDF5 files into it (dsm::Server). While it runs, the DSM's
 * driver is the default driver of this process's HDF5, so that every reader can open snapshots by
 * name: contact file, '#', number.
 *
 * Commands are collective, as ParaView's proxies call them, and have the same result on all ranks.
 * A command that fails reports the reason once, and stores it in CommandError.
 */
#ifndef vtkDSMServer_h
#define vtkDSMServer_h

#include "vtkDSMPluginModule.h" // For export macro

#include <vtkObject.h>

#include <functional> // For std::function
#include <memory>     // For std::unique_ptr
#include <string>     // For std::string

class HostServer;

class VTKDSMPLUGIN_EXPORT vtkDSMServer : public vtkObject
{
public:
  static vtkDSMServer* New();
  vtkTypeMacro(vtkDSMServer, vtkObject);
  vtkDSMServer(const vtkDSMServer&) = delete;
  void operator=(const vtkDSMServer&) = delete;
  void PrintSelf(ostream& os, vtkIndent indent) override;

  ///@{
  /// Sets a setting by its name in dsm::ServerSettings(), to the value that the proxy's property of
  /// that name has. Settings are read at Start. Those that can change while the server runs are
  /// read in ApplySettings, too.
  void SetTextSetting(const char* name, const char* value);
  void SetIntegerSetting(const char* name, vtkIdType value);
  void SetRealSetting(const char* name, double value);
  ///@}

  ///@{
  /// \name For state files and the panel, which set properties only.
  /// Whether to lend memory. Takes effect, with all settings, in ApplySettings.
  void SetActive(int active);
  vtkGetMacro(Active, int);
  /// Whether this lends no memory and watches the server that runs with the contact file, whoever
  /// has started that. Read at Start. Stop leaves that server as it is.
  vtkSetMacro(Watching, int);
  vtkGetMacro(Watching, int);
  /// Called after settings were set, on all ranks: starts or stops the server if Active was
  /// changed, else gives a running server the new settings. See PendingChanges.
  void ApplySettings();
  /// Whether the information below is the status at the time of the request, which rank 0 answers
  /// alone.
  vtkSetMacro(Live, int);
  vtkGetMacro(Live, int);
  /// With Live: how many of the newest samples of each observable SteeringStatus has; 0: it is
  /// empty.
  vtkSetMacro(SteeringHistory, int);
  vtkGetMacro(SteeringHistory, int);
  /// The revision of the list of snapshots that the viewer knows: ServerStatus has the snapshots
  /// that changed since then. 0: it has all. Refresh sets it to 0.
  vtkSetMacro(StatusSince, vtkIdType);
  vtkGetMacro(StatusSince, vtkIdType);
  ///@}

  ///@{
  /// \name Arguments of commands.
  /// WaitForSnapshot: waits for a number above this,
  vtkSetMacro(WaitAfter, vtkIdType);
  vtkGetMacro(WaitAfter, vtkIdType);
  /// the next in order (1) or the newest (0),
  vtkSetMacro(WaitNext, int);
  vtkGetMacro(WaitNext, int);
  /// for at most as many seconds.
  vtkSetMacro(WaitSeconds, double);
  vtkGetMacro(WaitSeconds, double);
  /// Release, SaveSnapshot, Pin and Unpin: the snapshot's number.
  vtkSetMacro(Number, vtkIdType);
  vtkGetMacro(Number, vtkIdType);
  /// SaveSnapshot: the file to write.
  vtkSetStdStringFromCharMacro(SavePath);
  vtkGetCharFromStdStringMacro(SavePath);
  /// Restore: the file on disk, and the name by which programs are to open it; empty: its own.
  vtkSetStdStringFromCharMacro(RestorePath);
  vtkGetCharFromStdStringMacro(RestorePath);
  vtkSetStdStringFromCharMacro(RestoreName);
  vtkGetCharFromStdStringMacro(RestoreName);
  /// Steer: the request, JSON as described in DSMCore/Steering/README.md.
  vtkSetStdStringFromCharMacro(SteerRequest);
  vtkGetCharFromStdStringMacro(SteerRequest);
  ///@}

  ///@{
  /// \name Commands, on all ranks.
  void Start();
  void Stop();
  /// Looks for a server of another program that runs with the contact file, which Start would meet:
  /// see FoundServer.
  void FindServer();
  /// Stops the server that FindServer finds. Its snapshots are lost.
  void StopFoundServer();
  /// As Stop, but hosts of their own go on: Start with the same contact file finds them. An error
  /// where the hosts are this server's ranks.
  void Leave();
  /// Waits, then sets FoundNumber and FoundSnapshot (a snapshot that is held until Release or
  /// Stop), Finished and Waited. Leaves the information below as it is: that of a ring with
  /// thousands of snapshots takes long.
  void WaitForSnapshot();
  /// Releases a found snapshot: it counts as read.
  void Release();
  /// Writes a snapshot byte by byte to a plain HDF5 file.
  void SaveSnapshot();
  /// Drops a snapshot from the ring now, pinned or not.
  void Drop();
  /// Begins to make a file on disk a snapshot; ServerStatus says how far it is (Restored).
  void Restore();
  /// Before all snapshots are saved and the server is stopped: from now on simulations write to
  /// disk, so that no snapshot has to go. TakeAgain: it is not stopped after all.
  void TakeNoMore();
  void TakeAgain();
  /// Pin keeps a snapshot in the ring until Unpin or Stop.
  void Pin();
  void Unpin();
  /// Changes a simulation, waits for the outcome of a change, or asks what can be changed: see
  /// SteerReply.
  void Steer();
  /// Updates the information below.
  void Refresh();
  ///@}

  ///@{
  /// \name Results of the last command.
  vtkGetCharFromStdStringMacro(CommandError);
  /// The server that FindServer has found, as JSON: a FoundServer. Empty if there is none.
  vtkGetCharFromStdStringMacro(FoundServer);
  /// The reply to Steer, JSON.
  vtkGetCharFromStdStringMacro(SteerReply);
  /// 0 if none came.
  vtkGetMacro(FoundNumber, vtkIdType);
  /// What that is, as JSON: a HostServer::Found. Empty if none came.
  vtkGetCharFromStdStringMacro(FoundSnapshot);
  /// 1 if a simulation was connected, none is now, and there is no newer snapshot.
  vtkGetMacro(Finished, int);
  /// Seconds spent waiting, by rank 0's clock.
  vtkGetMacro(Waited, double);
  ///@}

  ///@{
  /// \name Information: the status at the last command or, with Live, at the time of the request.
  /// All of it, as JSON: a HostServer::Status, with the Revision of the list of snapshots, the
  /// revision Since which it has what changed, and the numbers of those that are Gone since then.
  /// Only the newest snapshot says how many bytes each host got.
  const char* GetServerStatus();
  /// Returns a number that grows whenever a snapshot is announced. It costs little, so that a panel
  /// may ask often; -1 while no server runs, or where the hosts' memory is not mapped.
  vtkIdType GetAnnouncements();
  /// Absolute path of the contact file while running, else empty.
  const char* GetContactPath();
  /// Absolute path of the contact file that Start would write.
  const char* GetContactPlace();
  /// 1 when Start found hosts of their own running, and took them with the settings they have.
  int GetFoundRunning();
  /// 1 when the hosts that run are processes of their own, which Leave lets go on.
  int GetSeparateHosts();
  /// 1 when the server that runs is only watched.
  int GetWatched();
  /// The command line to start a simulation that connects to this server; empty while not running.
  const char* GetLaunchCommand();
  int GetNumberOfHosts();
  const char* GetState();
  const char* GetLastError();
  /// Returns the settings whose values no server would take, by name, each with the reason, as
  /// JSON.
  const char* GetRefusedSettings();
  /// The settings in force; before Start, those that would be. All as JSON (dsm::SettingsInForce),
  /// and some in properties of their own.
  const char* GetSettingsInForce();
  const char* GetEffectiveStrategy();
  vtkIdType GetEffectiveBlockSize();
  const char* GetEffectiveTransport();
  vtkIdType GetEffectiveMemoryPerHost();
  int GetEffectiveWhenFull();
  double GetEffectiveLongestWait();
  int GetEffectiveMaximumSnapshots();
  /// Most bytes per host that the running server can be set to.
  vtkIdType GetMemoryRoom();
  /// To show to the user: changes that are not in force yet; empty if all are.
  const char* GetPendingChanges();
  const char* GetWriters();
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
  /// What can be steered, and the outcomes of changes: the reply to {"do": "status"}. See
  /// SteeringHistory.
  const char* GetSteeringStatus();
  ///@}

  /// Returns the running server, for classes of this plugin. Throws dsm::Error(Usage) if none runs.
  HostServer& Hosts() const;

protected:
  vtkDSMServer();
  ~vtkDSMServer() override;

private:
  int Active = 0;
  bool ActiveChanged = false;
  int Watching = 0;
  int Live = 0;
  int SteeringHistory = 0;
  vtkIdType StatusSince = 0;
  std::string SteeringStatus;

  vtkIdType WaitAfter = 0;
  int WaitNext = 0;
  double WaitSeconds = 0;
  vtkIdType Number = 0;
  std::string SavePath;
  std::string RestorePath;
  std::string RestoreName;
  std::string SteerRequest;
  std::string SteerReply;

  std::string CommandError;
  std::string FoundServer;
  vtkIdType FoundNumber = 0;
  std::string FoundSnapshot;
  int Finished = 0;
  double Waited = 0;

  void RunCommand(const std::function<void()>& work);
  static bool IsFirstRank();
  void StartServer();
  void StopServer();

  class vtkInternals;
  std::unique_ptr<vtkInternals> Internals;
};

#endif
