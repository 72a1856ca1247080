# SPDX-License-Identifier: BSD-3-Clause
# Included by Plugin/CMakeLists.txt if ParaView has Qt. Adds the panel to the plugin's dsmInterfaces and
# dsmSources; pvserver and pvbatch, which load the same plugin, never call it.
find_package(Qt${PARAVIEW_QT_MAJOR_VERSION} REQUIRED COMPONENTS Widgets Help)
set(CMAKE_AUTOMOC ON)
include_directories("${CMAKE_CURRENT_LIST_DIR}")
paraview_plugin_add_dock_window(
  CLASS_NAME pqDSMPanel
  DOCK_AREA Right
  INTERFACES dsmInterfaces
  SOURCES dsmSources)
paraview_plugin_add_property_widget(
  KIND WIDGET
  TYPE dsm_size
  CLASS_NAME pqDSMSizeWidget
  INTERFACES sizeInterfaces
  SOURCES sizeSources)
paraview_plugin_add_property_widget(
  KIND WIDGET
  TYPE dsm_transport
  CLASS_NAME pqDSMTransportWidget
  INTERFACES transportInterfaces
  SOURCES transportSources)
paraview_plugin_add_property_widget(
  KIND WIDGET
  TYPE dsm_choice
  CLASS_NAME pqDSMChoiceWidget
  INTERFACES choiceInterfaces
  SOURCES choiceSources)
paraview_plugin_add_auto_start(
  CLASS_NAME pqDSMHelp
  INTERFACES helpInterfaces
  SOURCES helpSources)
list(APPEND dsmInterfaces ${sizeInterfaces} ${transportInterfaces} ${choiceInterfaces} ${helpInterfaces})
list(APPEND dsmSources ${sizeSources} ${transportSources} ${choiceSources} ${helpSources})
foreach(name IN ITEMS
    ActivityPage ArrayPicture AutoPin Axis Balloon BlankPicture Breakpoint CatalystMenu Chart CheckBoxDelegate
    Checkpoint ChoiceWidget ColorRange ComboBoxWidget CompactHeader CompareMenu ComparedReaders Comparison
    ContentsPage DropQuestion Extracts FileChoice FilterLine FittingScroll FixedReaders FollowState Follower
    FoundServer FoundSettings FurtherPanels Header Help History HostChart Icons Int64SpinBox KeptOpen LaunchLine LeaveGuard Log
    MessageLabel NameDelegate Notices OpenedContact Origin Panel PinEveryAction PinRules Plot PythonStates Question
    ReadAsWidget ReadSettings Remarks Representation ReservedLabel RestoreButton SampledArray SceneTicks SceneTime
    Scroll SeenSnapshots SelectionMenu SendDialog SeparateChoice ServerPanel ServerProxies ServerProxy SettingsPage SharedTime SizeWidget SnapshotCounts
    SnapshotCsv SnapshotFilter SnapshotMenu SnapshotModel SnapshotPage SnapshotSaver SnapshotTable Stake StartGuard
    StateLine Status SteeringButtons SteeringChanges SteeringCommand SteeringCurve SteeringCurves SteeringField
    SteeringForm SteeringPage SteeringPresets SteeringRow SteeringStatus SteeringWidget3D Stopwatch Stream StreamSet
    Streams Terms Text Trace TransportWidget WatchButton WatchedServers)
  list(APPEND dsmSources "${CMAKE_CURRENT_LIST_DIR}/pqDSM${name}.cxx" "${CMAKE_CURRENT_LIST_DIR}/pqDSM${name}.h")
endforeach()
