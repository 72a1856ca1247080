/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Couples a process that runs already, as `dsm-run` couples a program that starts: its HDF5
 * libraries get our driver as their default.
 */
#define _GNU_SOURCE
#include "Attach.h"

#include "Loader.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

static const char Contact[] = "DSM_CONTACT";

static struct
{
  int Now;
  char* ContactBefore; /* null: it was not set */
  LookedInto LookedInto;
} Attached;
static pthread_mutex_t Guard = PTHREAD_MUTEX_INITIALIZER;

static const char* Attach(const char* contact)
{
  static char problem[4096 + 256];
  const char* const named = getenv(Contact);
  if (!contact || !*contact)
  {
    contact = named && *named ? named : "run.dsm";
  }
  char* path = realpath(contact, NULL);
  if (!path)
  {
    snprintf(problem, sizeof problem,
      "there is no contact file %s (%s): start the server first, which writes it", contact,
      strerror(errno));
    return problem;
  }
  if (!Attached.Now)
  {
    Attached.ContactBefore = named ? strdup(named) : NULL;
  }
  Attached.Now = 1;
  setenv(Contact, path, 1);
  free(path);
  SetDefaultDriver(&Attached.LookedInto);
  return NULL;
}

static void Detach(void)
{
  static const LookedInto none = { 0, 0 };
  if (Attached.ContactBefore)
  {
    setenv(Contact, Attached.ContactBefore, 1);
  }
  else
  {
    unsetenv(Contact);
  }
  free(Attached.ContactBefore);
  Attached.ContactBefore = NULL;
  Attached.LookedInto = none;
  Attached.Now = 0;
  UnsetDefaultDriver();
}

EXPORT const char* DsmAttach(const char* contact)
{
  pthread_mutex_lock(&Guard);
  const char* problem = Attach(contact);
  pthread_mutex_unlock(&Guard);
  return problem;
}

EXPORT void DsmAttachLoaded(void)
{
  pthread_mutex_lock(&Guard);
  if (Attached.Now)
  {
    SetDefaultDriver(&Attached.LookedInto);
  }
  pthread_mutex_unlock(&Guard);
}

/* Where the reason is given, it is valid until the next call. */
EXPORT void* DsmLoad(const char* path, const char** problem)
{
  static char whyNot[4096 + 256];
  *whyNot = '\0';
  pthread_mutex_lock(&Guard);
  void* loaded = LoadOnHdf5(path, whyNot, sizeof whyNot);
  pthread_mutex_unlock(&Guard);
  *problem = loaded ? NULL : *whyNot ? whyNot : "no HDF5 of this process is attached";
  return loaded;
}

EXPORT void DsmDetach(void)
{
  pthread_mutex_lock(&Guard);
  if (Attached.Now)
  {
    Detach();
  }
  pthread_mutex_unlock(&Guard);
}
