// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/ElementOrder.h"

namespace dsm::describe
{

std::vector<int> FromBottomUp(int vtkType)
{
  switch (vtkType)
  {
    case 25: // a hexahedron with points on its edges
      return { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 16, 17, 18, 19, 12, 13, 14, 15 };
    case 26: // a wedge likewise
      return { 0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 13, 14, 9, 10, 11 };
    case 32: // a wedge with points on its quadrilaterals as well
      return { 0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 13, 14, 9, 10, 11, 15, 16, 17 };
    default:
      return {};
  }
}

}
