# SPDX-License-Identifier: BSD-3-Clause
# What ./dev test runs: with the first MPI library all tests but those below, with the others a sample. The rest has the
# label "all" and is run by ./dev test --all.

set(DSM_TESTS_RARE
  # The same programs in fewer ranks, or with HDF5's own driver behind ours
  "Session\\.[12]hosts\\.[234]" "Transports\\.(1hosts\\.[2345]|4hosts\\.[234567])" "Driver\\.1hosts\\.2"
  "TransferModes\\.(1hosts\\.[24]|2hosts\\.[456]|3hosts\\.5)" "PieceExchange\\.[13]"
  "Semantics\\.1hosts\\.[2345]"
  "Driver\\.fabric\\.2hosts\\.3" "Session\\.fabric\\.(1hosts\\.2|2hosts\\.[35]|shm\\.5)" "Session\\.3hosts\\.4"
  "Conformance\\.pass-through\\.(testphdf5|t_select_io_dset|t_shapesame|t_vfd|t_init_term)"
  "Conformance\\.(dsm\\.(t_filters_parallel|t_pmulti_dset|t_cache|t_2Gio|t_bigio)|(netCDF|serial|h5py|swmr)\\.all)"
  # 100 MB by each transport and strategy; the sample is Bulk.Sample
  "Bulk\\.[123]hosts\\.5" "BulkJobs" "ParaView\\.Bulk"
  # What networks that pin memory do to it, in all ways; the sample is Pinned.Sample
  "Pinned"
  # Builds an HDF5
  "Conformance\\.Subfiling"
  "Demo\\.(meep|shallow-water|particles)"
  # Every kind of array, one after the other, live; Formats and Generators have most of them
  "ParaView\\.LiveFields"
  # The pictures of the three steered examples, which their own tests steer without ParaView
  "ParaView\\.SteeredPicture"
  # What the panel does for blank pictures and scripts, after crashes, with every setting, and to compare two runs (which
  # ParaView.Compare does by itself); the documentation's pictures of it
  "Gui\\.(PanelMoreStreams|PanelServers|PanelLooks|PanelCompared)" "Benchmark\\.Panel"
  # Animations, screenshots and data saved twenty times; the sample is Gui.PanelSaving
  "Gui\\.PanelSavingMany"
  # Random selections over each transport with each strategy; Selections.5 has them by turns
  "Selections\\..*\\.5"
  # All access patterns of h5bench's; the sample is Benchmark.Patterns.Sample
  "Benchmark\\.Patterns"
  # The window, a browser, tmpfs and Catalyst, each beside pvbatch; the sample is Benchmark.Picture
  "Benchmark\\.PictureWays"
  # ./dev bench --short; the sample is Benchmark.Tables
  "Benchmark\\.Bench"
  # That a benchmark's script has its rows
  "Benchmark\\.Selections"
  # 400 random files on disk in all forms; the sample is a part of Faults.repacked
  "Faults\\.repacked_random"
  # A thousand random runs of ranks that see the server at different moments; the sample is Faults.delays
  "Faults\\.delays_many"
  # 2 GiB through 256 MiB; the sample is Faults.outgrown
  "Benchmark\\.Outgrow"
  # A real CGNS in every way; the sample is Benchmark.Cgns.Sample
  "Benchmark\\.Cgns"
  # What a library says that nothing of ours uses
  "Openshmem"
  # What CONTRIBUTING.md says of a new transport and strategy, built by itself
  "Contributing"
  # Simulations that only --all installs
  "ParaView\\.(Fenics|MoreGenerators)"
  # A pvserver without the plugin: nearly all of it is starting and waiting
  "Gui\\.PanelPlugin"
  # Two thousand histories; the sample is Histories
  "Histories\\.Many"
  # A hundred thousand simulations of the server's core; the sample is Simulation
  "Simulation\\.Many"
  # More of PyPI's VTKs; the sample is PythonEnvironment
  "PythonEnvironment\\.More"
  # The page for guests, with large snapshots, after ends and crashes, in a notebook; the sample is Web
  "Web\\.More"
  # A thousand peers at once
  "Scale\\.Thousand"
  # Builds packages and images, and uses each in a Debian 13 of its own
  "Recipes\\.(Wheel|Debian|Docker|Apptainer|Spack|EasyBuild|Conda)"
  # Two hundred steps and five restarts, of ParaView and of hosts
  "ParaView\\.SeparateSteps" "Faults\\.two_hundred_steps")

# Of each kind one that reaches what the MPI library has to do with: connecting, collectives, progress, launching, one
# job and two, ends and losses; and what only that library has.
set(DSM_TESTS_SAMPLE
  "Session\\.3hosts\\.8" "Session\\.fabric\\.3hosts\\.5"
  "ClientRanks\\.5" "DatatypeFlatten\\.1" "PassThrough\\.3"
  "Driver\\.3hosts\\.5" "Semantics\\.1hosts\\.3" "Transports\\.2hosts\\.7" "TransferModes\\.1hosts\\.2" "Bulk\\.Sample\\.4"
  "Selections\\.5" "Large\\.4"
  "DsmRun" "OtherHdf5" "OtherMpi" "TwoMpi" "Distributed" "MpiTransports" "MpiPorts"
  "Faults\\.(delays|killed|host_killed|stopped_server|exits_without_finalize|mpi_simulation_ends|mpi_dies_while_joining|firewall_.*)"
  "Conformance\\.Programs" "Conformance\\.dsm\\.(t_pshutdown|t_select_io_dset)"
  "GrayScott\\.Coupled" "ShallowWater\\.Steered" "Benchmark\\.Step\\.3"
  "ParaView\\.(OneJob|OtherMpi|OtherClient|NoneOnMpich)")

# Sets the variable to TRUE where ./dev test leaves the test of this name (without the MPI library's) to --all.
function(dsm_test_is_rare name result)
  if(DSM_TEST_ONCE)
    list(JOIN DSM_TESTS_RARE "|" patterns)
    set(rare FALSE)
    if(name MATCHES "^(${patterns})$")
      set(rare TRUE)
    endif()
  else()
    list(JOIN DSM_TESTS_SAMPLE "|" patterns)
    set(rare TRUE)
    if(name MATCHES "^(${patterns})$")
      set(rare FALSE)
    endif()
  endif()
  set(${result} ${rare} PARENT_SCOPE)
endfunction()
