/* SPDX-License-Identifier: BSD-3-Clause */
/* The one function of CUDA's driver that is asked: every pointer is a device's. */
int cuPointerGetAttribute(void* value, int attribute, unsigned long long pointer);

int cuPointerGetAttribute(void* value, int attribute, unsigned long long pointer)
{
  (void)attribute;
  (void)pointer;
  *(unsigned*)value = 2;
  return 0;
}
