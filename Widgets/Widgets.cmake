# SPDX-License-Identifier: BSD-3-Clause
# Included by Plugin/CMakeLists.txt where ParaView has Qt. Adds to dsmInterfaces and dsmSources what the
# plugin's binary has for ParaView's window; elsewhere (pvserver, pvbatch) nothing of it is called.
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
paraview_plugin_add_auto_start(
  CLASS_NAME pqDSMHelp
  INTERFACES helpInterfaces
  SOURCES helpSources)
list(APPEND dsmInterfaces ${sizeInterfaces} ${transportInterfaces} ${helpInterfaces})
list(APPEND dsmSources ${sizeSources} ${transportSources} ${helpSources})
foreach(name IN ITEMS Activity Contents EditWidget Follower Head Help IntegerBox Link Notice Panel Picture Plot SettingsPage SizeWidget SnapshotModel SnapshotPage Spread StateLine
    SteeringButtons SteeringCommand SteeringCurve SteeringField SteeringForm SteeringPage SteeringRow SteeringShape SteeringStatus TickDelegate TransportWidget)
  list(APPEND dsmSources "${CMAKE_CURRENT_LIST_DIR}/pqDSM${name}.cxx" "${CMAKE_CURRENT_LIST_DIR}/pqDSM${name}.h")
endforeach()
list(APPEND dsmSources "${CMAKE_CURRENT_LIST_DIR}/pqDSMStatus.h"
  "${CMAKE_CURRENT_LIST_DIR}/pqDSMKeeper.cxx" "${CMAKE_CURRENT_LIST_DIR}/pqDSMKeeper.h"
  "${CMAKE_CURRENT_LIST_DIR}/pqDSMStopwatch.cxx" "${CMAKE_CURRENT_LIST_DIR}/pqDSMStopwatch.h"
  "${CMAKE_CURRENT_LIST_DIR}/pqDSMText.cxx" "${CMAKE_CURRENT_LIST_DIR}/pqDSMText.h"
  "${CMAKE_CURRENT_LIST_DIR}/pqDSMTrace.cxx" "${CMAKE_CURRENT_LIST_DIR}/pqDSMTrace.h")
