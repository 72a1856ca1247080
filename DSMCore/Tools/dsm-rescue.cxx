// SPDX-License-Identifier: BSD-3-Clause
// dsm-rescue: started by dsm-serve --save, whose memory it keeps alive: it saves what is sealed and
// not yet saved when those hosts are killed.
#include "Archive/Rescuer.h"
#include "Base/DetachedProcess.h"
#include "Tools/CommandLine.h"

#include <cstdio>
#include <exception>
#include <string>

#include <sys/socket.h>
#include <unistd.h>

int main(int argc, char** argv)
{
  if (argc > 1)
  {
    dsm::CommandLine app("dsm-rescue",
      "Saves what dsm-serve --save has not saved yet when that is killed. dsm-serve starts it.");
    std::string contact;
    app.add_option("contact", contact, "contact file of that dsm-serve, for who lists processes");
    CLI11_PARSE(app, argc, argv);
  }
  int type = 0;
  socklen_t size = sizeof type;
  if (getsockopt(dsm::InheritedDescriptor, SOL_SOCKET, SO_TYPE, &type, &size) != 0 ||
    type != SOCK_SEQPACKET)
  {
    std::fprintf(stderr, "dsm-rescue is started by dsm-serve --save, and by nobody else\n");
    return 2;
  }
  if (chdir("/") != 0)
  {
    return 1; // no folder may stay in use because of it
  }
  try
  {
    dsm::Rescuer(dsm::InheritedDescriptor).Run();
    return 0;
  }
  catch (const std::exception&)
  {
    return 1; // its log says why
  }
}
