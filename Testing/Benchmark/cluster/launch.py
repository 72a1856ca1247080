# SPDX-License-Identifier: BSD-3-Clause
"""Command lines that start MPI programs across a cluster's nodes."""

import os

from .network import DEVICE, HEAD, NETWORK

# More processes than cores: who waits must give its core away.
COMMON = {
    "UCX_ERROR_SIGNALS": "",
    "UCX_TLS": "tcp,self",
    "UCX_NET_DEVICES": DEVICE,
    "FI_TCP_IFACE": DEVICE,
    "MPIR_CVAR_ENABLE_HEAVY_YIELD": "1",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "OMPI_MCA_pml": "ob1",
    "OMPI_MCA_btl": "self,sm,tcp",
    "OMPI_MCA_btl_tcp_if_include": NETWORK + "0/24",
    "PRTE_MCA_prte_if_include": NETWORK + "0/24",
    "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "PRTE_ALLOW_RUN_AS_ROOT": "1", "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
}


def environment(**more):
    """What MPI programs in a cluster need to find around them."""
    return {**os.environ, **COMMON, **{name: str(value) for name, value in more.items()}}


def mpiexec(cluster, flavour, placement, command):
    """The command line for one MPI job. `placement` lists (node number, ranks) in rank order."""
    ranks = str(sum(count for _, count in placement))
    hosts = ",".join(f"{cluster.address(node)}:{count}" for node, count in placement)
    if flavour == "mpich":
        words = ["mpiexec.mpich", "-launcher", "ssh", "-launcher-exec", cluster.agent, "-localhost", HEAD,
                 "-hosts", hosts, "-n", ranks]
    elif flavour == "openmpi":
        words = ["mpiexec.openmpi", "--prtemca", "plm_ssh_agent", cluster.agent, "--host", hosts,
                 "--map-by", "slot", "--bind-to", "none", "-n", ranks]
    else:
        raise ValueError(f"MPI libraries here are mpich and openmpi, not {flavour}")
    return cluster.head.enter(*words, *command)
