// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/Xdmf.h"

#include "Base/Error.h"
#include "Describe/Check.h"
#include "Describe/DescriptionText.h"
#include "Describe/XdmfFunction.h"

#include <gtest/gtest.h>

#include <map>
#include <sstream>

using namespace dsm::describe;

namespace
{
/// Datasets by "/path" in the file that is shown and "/folder/file.h5:/path" in others.
class Data final : public NamedData
{
public:
  std::map<std::string, std::vector<std::uint64_t>> Shapes;
  std::map<std::string, std::vector<double>> Read;

  bool Has(const std::string& file, const std::string& path) const override
  {
    return this->Shapes.contains(Key(file, path));
  }
  std::vector<std::uint64_t> Shape(const std::string& file, const std::string& path) const override
  {
    if (!this->Has(file, path))
    {
      throw dsm::Error(
        dsm::Fault::Usage, "there is no dataset {} in {}", path, file.empty() ? "out.h5" : file);
    }
    return this->Shapes.at(Key(file, path));
  }
  const std::vector<double>& Numbers(
    const std::string& file, const std::string& path, std::uint64_t) const override
  {
    return this->Read.at(Key(file, path));
  }

private:
  static std::string Key(const std::string& file, const std::string& path)
  {
    return file.empty() ? path : file + ":" + path;
  }
};

Description Describe(const std::string& text, const Data& data,
  std::optional<std::size_t> step = {}, const std::string& name = "/run/out.h5")
{
  const XdmfText xdmf{ { "out.xmf", text }, "/run", name };
  Description made = XdmfDocument(xdmf,
    [](const std::string& file, const std::string&) -> XmlSource
    {
      throw dsm::Error(dsm::Fault::System, "there is no {}", file);
    }).Describe(data, step);
  // What is described can be filled.
  Check(made);
  return made;
}

// What comes of it, without the line that says of which format it is.
std::string Told(const std::string& text, const Data& data, std::optional<std::size_t> step = {},
  const std::string& name = "/run/out.h5")
{
  try
  {
    const std::string told = Text(Describe(text, data, step, name));
    return told.substr(told.find('\n') + 1);
  }
  catch (const dsm::Error& error)
  {
    return std::string("refused: ") + error.what();
  }
}

std::string Xdmf(const std::string& grids)
{
  return "<Xdmf xmlns:xi='https://www.w3.org/2001/XInclude'><Domain>" + grids + "</Domain></Xdmf>";
}

std::string Item(const std::string& dimensions, const std::string& text)
{
  const bool stored = text.find(':') != std::string::npos;
  return "<DataItem Dimensions='" + dimensions + "' Format='" + (stored ? "HDF" : "XML") + "'>" +
    text + "</DataItem>";
}

std::string Attribute(
  const std::string& name, const std::string& item, const std::string& more = "")
{
  return "<Attribute Name='" + name + "' " + more + ">" + item + "</Attribute>";
}

// A grid of 9 x 5 x 7 points.
const std::string Image = "<Topology TopologyType='3DCoRectMesh' Dimensions='7 5 9'/><Geometry "
                          "GeometryType='ORIGIN_DXDYDZ'>" +
  Item("3", "3 2 1") + Item("3", "2 1 0.5") + "</Geometry>";
}

// As FEniCSx writes it: a mesh, and a collection for each function, which include it.
TEST(Xdmf, DescribesWhatFenicsWrites)
{
  const auto steps = [](const std::string& name, const std::string& type)
  {
    std::string text = "<Grid Name='" + name + "' GridType='Collection' CollectionType='Temporal'>";
    for (const std::string step : { "0", "0.5", "1" })
    {
      const std::string path = fmt::format("out.h5:/Function/{}/{}", name, step);
      text += fmt::format(
        "<Grid Name='{0}' GridType='Uniform'><xi:include xpointer=\"xpointer(/Xdmf/Domain/"
        "Grid[@GridType='Uniform'][1]/*[self::Topology or self::Geometry])\" /><Time Value='{1}' "
        "/>{2}</Grid>",
        name, step,
        Attribute(name, Item(type == "Scalar" ? "5 1" : "5 3", path),
          fmt::format("AttributeType='{}' Center='Node'", type)));
    }
    return text + "</Grid>";
  };
  const std::string text =
    Xdmf("<Grid Name='mesh' GridType='Uniform'><Topology TopologyType='Tetrahedron' "
         "NumberOfElements='2' NodesPerElement='4'>" +
      Item("2 4", "out.h5:/Mesh/mesh/topology") + "</Topology><Geometry GeometryType='XYZ'>" +
      Item("5 3", "out.h5:/Mesh/mesh/geometry") + "</Geometry></Grid>" + steps("f", "Scalar") +
      steps("v", "Vector"));
  Data data;
  data.Shapes = { { "/Mesh/mesh/topology", { 2, 4 } }, { "/Mesh/mesh/geometry", { 5, 3 } } };
  for (const std::string step : { "0", "0.5" })
  {
    data.Shapes["/Function/f/" + step] = { 5, 1 };
    data.Shapes["/Function/v/" + step] = { 5, 3 };
  }
  const std::string mesh =
    "part mesh: unstructured, 5 points at /Mesh/mesh/geometry[i:5, c:3]; 2 cells of VTK's type "
    "10 with 4 points each, /Mesh/mesh/topology[i:2, c:4]\n";
  const std::string later =
    "left out: the Grid \"f\" (out.xmf, line 1): 1 of its steps are not in the file, or not yet\n"
    "left out: the Grid \"v\" (out.xmf, line 1): 1 of its steps are not in the file, or not yet\n";
  EXPECT_EQ(Told(text, data),
    "time 0.5\nstep 1 of 2, times 0 to 0.5\n" + mesh +
      "  point array f: /Function/f/0.5[i:5, 0]\n" +
      "  point array v: /Function/v/0.5[i:5, c:3]\n" + later);
  EXPECT_EQ(Told(text, data, 0),
    "time 0\nstep 0 of 2, times 0 to 0.5\n" + mesh + "  point array f: /Function/f/0[i:5, 0]\n" +
      "  point array v: /Function/v/0[i:5, c:3]\n" + later);
}

// Names of arrays must be the same in all steps.
TEST(Xdmf, RemovesTheTimeFromNamesOfArrays)
{
  using Names = std::vector<std::string>;
  const auto described = [](const std::vector<Names>& steps, std::size_t step)
  {
    Data data;
    std::string text = "<Grid Name='g' GridType='Collection' CollectionType='Temporal'>";
    for (std::size_t index = 0; index < steps.size(); ++index)
    {
      text += fmt::format("<Grid Name='s'><Time Value='{}'/>", index + 1) + Image;
      for (const std::string& name : steps[index])
      {
        const std::string path = fmt::format("/d{}", data.Shapes.size());
        data.Shapes[path] = { 7, 5, 9 };
        text += Attribute(name, Item("7 5 9", "out.h5:" + path));
      }
      text += "</Grid>";
    }
    Names names;
    std::istringstream lines(Told(Xdmf(text + "</Grid>"), data, step));
    for (std::string line; std::getline(lines, line);)
    {
      const std::string before = "  point array ";
      if (line.starts_with(before))
      {
        names.push_back(line.substr(before.size(), line.find(": ") - before.size()));
      }
    }
    return names;
  };
  EXPECT_EQ(described({ { "u/1.0", "p" }, { "u/2.0", "p" } }, 0), (Names{ "u", "p" }));
  EXPECT_EQ(described({ { "u/1.0", "p" }, { "u/2.0", "p" } }, 1), (Names{ "u", "p" }));
  EXPECT_EQ(described({ { "u_1" }, { "u_2" }, { "u_3" } }, 1), (Names{ "u" }));
  EXPECT_EQ(described({ { "u/1.0" } }, 0), (Names{ "u" }));
  // These are of components, which all steps have, or may have.
  EXPECT_EQ(described({ { "y_1", "y_2" }, { "y_1", "y_2" } }, 0), (Names{ "y_1", "y_2" }));
  EXPECT_EQ(described({ { "y_1" } }, 0), (Names{ "y_1" }));
  EXPECT_EQ(described({ { "u", "u/1.0" }, { "u", "u/2.0" } }, 1), (Names{ "u", "u/2.0" }));
}

TEST(Xdmf, DescribesImages)
{
  Data data;
  data.Shapes = { { "/u", { 7, 5, 9 } }, { "/flat", { 315 } }, { "/c", { 6, 4, 8 } },
    { "/v", { 7, 5, 9, 3 } }, { "/w", { 3, 7, 5, 9 } }, { "/s", {} } };
  EXPECT_EQ(Told(Xdmf("<Grid Name='image'>" + Image +
                   Attribute("u", Item("7 5 9", "SERIAL:out.h5:/u"), "Center='Node'") +
                   Attribute("flat", Item("7 5 9", "out.h5:/flat")) +
                   Attribute("c", Item("6 4 8", "out.h5:c"), "Center='Cell'") +
                   Attribute("v", Item("7 5 9 3", "out.h5:/v"), "AttributeType='Vector'") +
                   Attribute("w", Item("7 5 9 3", "out.h5:/w"), "AttributeType='Vector'") +
                   Attribute("s", Item("1", "out.h5:/s"), "Center='Grid'") +
                   Attribute("e", Item("7 5 9", "out.h5:/u"), "Center='Edge'") + "</Grid>"),
              data),
    "part image: uniform, 9 x 5 x 7 points, origin 1 2 3, spacing 0.5 1 2\n"
    "  point array u: /u[z:7, y:5, x:9]\n"
    "  point array flat: /flat from its element 0[z:7, y:5, x:9]\n"
    "  cell array c: /c[z:6, y:4, x:8]\n"
    "  point array v: /v[z:7, y:5, x:9, c:3]\n"
    "  point array w: /w[c:3, z:7, y:5, x:9]\n"
    "  field array s: /s\n"
    "guessed: the DataItem (out.xmf, line 1): the components are the slowest dimension, as in the "
    "file\n"
    "left out: the Attribute \"e\" (out.xmf, line 1): attributes at each Edge are not supported\n");
  EXPECT_EQ(Told(Xdmf("<Grid Name='flat'><Topology Type='2DCoRectMesh' Dimensions='5 9'/><Geometry "
                      "Type='ORIGIN_DXDY'>" +
                   Item("2", "2 1") + Item("2", "1 0.5") + "</Geometry>" +
                   Attribute("u", Item("4 8", "out.h5:/d"), "Center='Cell'") + "</Grid>"),
              []
              {
                Data d;
                d.Shapes = { { "/d", { 4, 8 } } };
                return d;
              }()),
    "part flat: uniform, 9 x 5 x 1 points, origin 1 2 0, spacing 0.5 1 1\n"
    "  cell array u: /d[y:4, x:8]\n");
}

static std::string Slab(const std::string& dimensions, const std::string& rank,
  const std::string& selection, const std::string& of)
{
  return "<DataItem ItemType='HyperSlab' Dimensions='" + dimensions + "'><DataItem Dimensions='3 " +
    rank + "' NumberType='Int'>" + selection + "</DataItem>" + of + "</DataItem>";
}

// As Athena++ and Parthenon write it: blocks are slabs of one dataset.
TEST(Xdmf, DescribesSlabs)
{
  Data data;
  data.Shapes = { { "/x1f", { 2, 5 } }, { "/x2f", { 2, 4 } }, { "/x3f", { 2, 2 } },
    { "/prim", { 4, 2, 1, 3, 4 } }, { "/t", { 100, 1, 3, 4 } } };
  data.Read = { { "/x1f", { 9, 9, 9, 9, 9, 0, 1, 2, 3, 4 } },
    { "/x2f", { 9, 9, 9, 9, 3, 2, 1, 0 } }, { "/x3f", { 9, 9, 0, 1 } } };
  const auto block = [](const std::string& attribute)
  {
    return Xdmf(
      "<Grid Name='Mesh' GridType='Collection'><Grid Name='MeshBlock1' "
      "GridType='Uniform'><Topology "
      "TopologyType='3DRectMesh' NumberOfElements='2 4 5'/><Geometry GeometryType='VXVYVZ'>" +
      Slab("5", "2", "1 0 1 1 1 5", Item("2 5", "out.h5:/x1f")) +
      Slab("4", "2", "1 0 1 1 1 4", Item("2 4", "out.h5:/x2f")) +
      Slab("2", "2", "1 0 1 1 1 2", Item("2 2", "out.h5:/x3f")) + "</Geometry>" + attribute +
      "</Grid></Grid>");
  };
  // y descends in the file.
  EXPECT_EQ(
    Told(
      block(
        Attribute("rho",
          Slab("1 3 4", "5", "2 1 0 0 0 1 1 1 1 1 1 1 1 3 4", Item("4 2 1 3 4", "out.h5:/prim")),
          "Center='Cell'") +
        // The text was written when there were fewer steps.
        Attribute("t", Slab("1 3 4", "4", "7 0 0 0 1 1 1 1 1 1 3 4", Item("8 1 3 4", "out.h5:/t")),
          "Center='Cell'")),
      data),
    "part MeshBlock1: rectilinear, 5 x 4 x 2 points, at /x1f[1, x:5]; /x2f[1, -y:4]; /x3f[1, z:2]\n"
    "  cell array rho: /prim[2, 1, 0, -y:3, x:4]\n"
    "  cell array t: /t[7, 0, -y:3, x:4]\n");
  EXPECT_EQ(
    Told(block(Attribute("half",
           Slab("1 3 2", "5", "2 1 0 0 0 1 1 1 1 2 1 1 1 3 2", Item("4 2 1 3 4", "out.h5:/prim")),
           "Center='Cell'")),
      data),
    "refused: the Grid \"MeshBlock1\" (out.xmf, line 1): the DataItem (out.xmf, line 1) has 6 "
    "numbers (1 x 3 x 2), "
    "which does not fit 1 x 3 x 4");
  EXPECT_EQ(
    Told(block(Attribute("far",
           Slab("1 3 4", "5", "2 2 0 0 0 1 1 1 1 1 1 1 1 3 4", Item("4 2 1 3 4", "out.h5:/prim")),
           "Center='Cell'")),
      data),
    "refused: the Grid \"MeshBlock1\" (out.xmf, line 1): the DataItem (out.xmf, line 1) selects 1 "
    "from 2 on by 1 along "
    "dimension 1, which has only 2");
}

TEST(Xdmf, SelectsInOtherDimensionsThanTheFiles)
{
  Data data;
  data.Shapes = { { "/p", { 2, 1, 12 } }, { "/q", { 24 } } };
  const auto told = [&](const std::string& item)
  {
    const std::string all = Told(
      Xdmf("<Grid Name='g'><Topology TopologyType='2DCoRectMesh' Dimensions='3 4'/><Geometry "
           "GeometryType='ORIGIN_DXDY'>" +
        Item("2", "0 0") + Item("2", "1 1") + "</Geometry>" + Attribute("a", item) + "</Grid>"),
      data);
    const auto at = all.find("array a: ");
    return at == std::string::npos ? all : all.substr(at + 9, all.size() - at - 10);
  };
  // 12 numbers in one dimension are the grid's, from element 12 on.
  EXPECT_EQ(told(Slab("12", "2", "1 0 1 1 1 12", Item("2 12", "out.h5:/p"))),
    "/p from its element 12[y:3, x:4]");
  EXPECT_EQ(told(Slab("3 4", "3", "1 0 0 1 1 1 1 3 4", Item("2 3 4", "out.h5:/q"))),
    "/q from its element 12[y:3, x:4]");
  // As the library of XDMF 3 writes selections.
  EXPECT_EQ(told(Item("12", "out.h5:/q|12:1:12:24")), "/q from its element 12[y:3, x:4]");
  EXPECT_EQ(told(Item("24", "out.h5:/q|12:1:12:24")),
    "refused: the Grid \"g\" (out.xmf, line 1): the DataItem (out.xmf, line 1) has 12 numbers, and "
    "its Dimensions say 24");
  EXPECT_EQ(told(Item("12", "out.h5:/q|13:1:12:24")),
    "refused: the Grid \"g\" (out.xmf, line 1): the DataItem (out.xmf, line 1) selects 12 from 13 "
    "on by 1 along dimension "
    "0, which has only 24");
  EXPECT_EQ(told(Slab("12", "1", "0 2 12", Item("24", "out.h5:/q"))),
    "part g: uniform, 4 x 3 x 1 points, origin 0 0 0, spacing 1 1 1\nleft out: the Attribute \"a\" "
    "(out.xmf, line 1): the "
    "DataItem (out.xmf, line 1) takes 12 numbers that do not lie one behind the other as 3 x 4\n");
}

// What is not supported is left out, what is wrong refused.
TEST(Xdmf, DescribesUnstructuredGrids)
{
  Data data;
  data.Shapes = { { "/xyz", { 6, 3 } }, { "/xy", { 6, 2 } }, { "/x", { 6 } },
    { "/cells", { 2, 4 } }, { "/flat", { 8 } }, { "/mixed", { 11 } }, { "/hex", { 1, 20 } },
    { "/lines", { 5, 2 } }, { "/a", { 6, 1 } }, { "/six", { 6, 6 } }, { "/nine", { 6, 3, 3 } },
    { "/two", { 2 } } };
  const auto told = [&](const std::string& topology, const std::string& geometry,
                      const std::string& attributes = "")
  { return Told(Xdmf("<Grid Name='g'>" + topology + geometry + attributes + "</Grid>"), data); };
  const auto topology = [](const std::string& attributes, const std::string& item)
  { return "<Topology " + attributes + ">" + item + "</Topology>"; };
  const std::string xyz =
    "<Geometry GeometryType='XYZ'>" + Item("6 3", "out.h5:/xyz") + "</Geometry>";
  const std::string begin = "part g: unstructured, 6 points at /xyz[i:6, c:3]; ";
  EXPECT_EQ(
    told(topology("TopologyType='Tetrahedron' NumberOfElements='2' BaseOffset='1' Order='0 2 1 3'",
           Item("2 4", "out.h5:/cells")),
      xyz,
      Attribute("six", Item("6 6", "out.h5:/six"), "AttributeType='Tensor6'") +
        Attribute("nine", Item("6 9", "out.h5:/nine"), "AttributeType='Tensor'") +
        Attribute("two", Item("2", "out.h5:/two"), "Center='Cell'") +
        Attribute("odd", Item("6 3", "out.h5:/xyz"))),
    begin +
      "2 cells of VTK's type 10 with 4 points each, /cells[i:2, c:4] in the order 0 2 1 3, points "
      "from 1\n"
      "  point array six (XX, XY, XZ, YY, YZ, ZZ): /six[i:6, c:6]\n"
      "  point array nine: /nine from its element 0[i:6, c:9]\n"
      "  cell array two: /two[i:2]\n"
      "  point array odd: /xyz[i:6, c:3]\n"
      "guessed: the Grid \"g\" (out.xmf, line 1): odd has 3 components, which is not usual for "
      "scalar\n");
  EXPECT_EQ(told(topology("Type='Quad' Dimensions='2'",
                   "<DataItem ItemType='Function' Function='$0 - 1' Dimensions='8'>" +
                     Item("8", "out.h5:/flat") + "</DataItem>"),
              "<Geometry Type='X_Y_Z'>" + Item("6", "out.h5:/x") + Item("6", "out.h5:/x") +
                Item("6", "1 2 3 4 5 6") + "</Geometry>"),
    "part g: unstructured, 6 points at /x[i:6], /x[i:6], {1 2 3 4 5 6}[i:6]; 2 cells of VTK's type "
    "9 with 4 points each, "
    "/flat from its element 0[i:2, c:4], points from 1\n");
  EXPECT_EQ(
    told(topology("TopologyType='Mixed' NumberOfElements='2'", Item("11", "out.h5:/mixed")), xyz),
    begin + "2 cells of several types, a list of 11, /mixed[i:11]\n");
  EXPECT_EQ(
    told(topology("TopologyType='Hex_20' NumberOfElements='1'", Item("1 20", "out.h5:/hex")), xyz),
    begin + "1 cells of VTK's type 25 with 20 points each, /hex[0, c:20]\n");
  EXPECT_EQ(told(topology("TopologyType='PolyLine' NodesPerElement='2' NumberOfElements='5'",
                   Item("5 2", "out.h5:/lines")),
              xyz),
    begin + "5 cells of VTK's type 3 with 2 points each, /lines[i:5, c:2]\n");
  // As SWIFT writes particles.
  EXPECT_EQ(told(topology("TopologyType='Polyvertex' Dimensions='6'", ""),
              "<Geometry GeometryType='XY'>" + Item("6 2", "out.h5:/xy") + "</Geometry>",
              Attribute("a", Item("6", "out.h5:/a"), "Center='Cell'")),
    "part g: 6 points without cells, at /xy[i:6, c:2]\n  point array a: /a[i:6, 0]\n");
  EXPECT_EQ(
    told(
      topology("TopologyType='Polyhedron' NumberOfElements='2'", Item("8", "out.h5:/flat")), xyz),
    "refused: there is nothing to show of the XDMF description: the Grid \"g\" (out.xmf, line 1): "
    "the Grid \"g\" "
    "(out.xmf, line 1): cells of the type \"Polyhedron\" are not supported");
  const std::string cells =
    topology("TopologyType='Tetrahedron' NumberOfElements='2'", Item("2 4", "out.h5:/cells"));
  const std::map<std::string, std::string> wrong = {
    { topology("TopologyType='Tetrahedron' NumberOfElements='3'", Item("2 4", "out.h5:/cells")) +
        xyz,
      "the Topology (out.xmf, line 1) says 3 cells, and has 8 numbers for cells of 4 points" },
    { topology("TopologyType='Wedge'", Item("2 4", "out.h5:/cells")) + xyz,
      "the Topology (out.xmf, line 1) has 8 numbers for cells of 6 points" },
    { topology("TopologyType='Tetrahedron' Order='0 1 2 2'", Item("2 4", "out.h5:/cells")) + xyz,
      "the Topology (out.xmf, line 1) has the Order \"0 1 2 2\", which is no order of 4 points" },
    { cells, "the Grid \"g\" (out.xmf, line 1) has no Geometry with DataItems" },
    { xyz, "the Grid \"g\" (out.xmf, line 1) has 0 elements topology, and needs one" },
    { cells + xyz + Attribute("none", Item("6", "out.h5:/none")),
      "the Grid \"g\" (out.xmf, line 1): the DataItem (out.xmf, line 1) names /none: there is no "
      "dataset /none in out.h5" },
    { cells + xyz + Attribute("a", Item("7", "out.h5:/a")),
      "the Grid \"g\" (out.xmf, line 1): the DataItem (out.xmf, line 1) says that /a has the size "
      "7, and it has 6 x 1" },
    { cells + xyz + Attribute("a", Item("8", "out.h5:/cells")),
      "the Grid \"g\" (out.xmf, line 1): the DataItem (out.xmf, line 1) has 8 numbers (8), which "
      "does not fit 6" },
    { cells + xyz + Attribute("a", Item("4294967296 4294967296 4294967296", "out.h5:/a")),
      "the Grid \"g\" (out.xmf, line 1): the DataItem (out.xmf, line 1) has the size 4294967296 x "
      "4294967296 x "
      "4294967296, which no file has" },
  };
  for (const auto& [grid, why] : wrong)
  {
    EXPECT_EQ(told(grid, ""), "refused: " + why);
  }
}

TEST(Xdmf, LeavesOutWhatItCannotRead)
{
  Data data;
  data.Shapes = { { "/u", { 7, 5, 9 } } };
  const std::string told =
    Told(Xdmf("<Grid Name='g'>" + Image +
           Attribute("raw", "<DataItem Dimensions='7 5 9' Format='Binary'>u.bin</DataItem>") +
           Attribute("root",
             "<DataItem ItemType='Function' Function='sqrt($0)' Dimensions='7 5 9'>" +
               Item("7 5 9", "out.h5:/u") + "</DataItem>") +
           Attribute("at",
             "<DataItem ItemType='Coordinates' Dimensions='2'>" + Item("2 3", "0 0 0 1 1 1") +
               Item("7 5 9", "out.h5:/u") + "</DataItem>") +
           Attribute("sum",
             "<DataItem ItemType='Function' Function='2 * ($0 + $1) + 1' Dimensions='7 5 9'>" +
               Item("7 5 9", "out.h5:/u") + Item("7 5 9", "out.h5:/u") + "</DataItem>") +
           Attribute("v",
             "<DataItem ItemType='Function' Function='JOIN($0, $1)' Dimensions='7 5 9 2'>" +
               Item("7 5 9", "out.h5:/u") + Item("7 5 9", "out.h5:/u") + "</DataItem>",
             "AttributeType='Vector'") +
           "</Grid><Grid GridType='Subset'/>"),
      data);
  EXPECT_EQ(told,
    "part g: uniform, 9 x 5 x 7 points, origin 1 2 3, spacing 0.5 1 2\n"
    "  point array sum: /u[z:7, y:5, x:9] * 2 + 1 + /u[z:7, y:5, x:9] * 2\n"
    "  point array v: /u[z:7, y:5, x:9], /u[z:7, y:5, x:9]\n"
    "left out: the Attribute \"raw\" (out.xmf, line 1): the DataItem (out.xmf, line 1) is in a "
    "file of the format Binary, "
    "and only HDF5 is read\n"
    "left out: the Attribute \"root\" (out.xmf, line 1): the DataItem (out.xmf, line 1): the "
    "Function \"sqrt($0)\" is "
    "neither a sum of DataItems with factors nor JOIN($0, $1, …)\n"
    "left out: the Attribute \"at\" (out.xmf, line 1): the DataItem (out.xmf, line 1) is of the "
    "type Coordinates, which is "
    "not supported\n"
    "left out: the Grid (out.xmf, line 1): grids of the type Subset are not supported\n");
}

TEST(Xdmf, HasTheTimesOfSteps)
{
  Data data;
  data.Shapes = { { "/u", { 7, 5, 9 } } };
  const auto steps = [&](const std::string& time, const std::string& own = "")
  {
    const std::string grid =
      "<Grid>" + Image + own + Attribute("u", Item("7 5 9", "out.h5:/u")) + "</Grid>";
    const std::string told =
      Told(Xdmf("<Grid Name='s' GridType='Collection' CollectionType='Temporal'>" + time + grid +
             grid + grid + "</Grid>"),
        data);
    return told.substr(0, told.find("\npart"));
  };
  EXPECT_EQ(steps("<Time TimeType='List'>" + Item("3", "0.5 1 4") + "</Time>"),
    "time 4\nstep 2 of 3, times 0.5 to 4");
  EXPECT_EQ(steps("<Time TimeType='HyperSlab'>" + Item("3", "1 0.5 3") + "</Time>"),
    "time 2\nstep 2 of 3, times 1 to 2");
  EXPECT_EQ(steps("<Time TimeType='HyperSlab'>" + Item("2", "1 0.5") + "</Time>"),
    "time 2\nstep 2 of 3, times 1 to 2");
  EXPECT_EQ(steps(""), "step 2 of 3, times 0 to 2");
  EXPECT_EQ(steps("", "<Time Value='7.5'/>"), "time 7.5");
  EXPECT_EQ(steps("<Time TimeType='List'>" + Item("2", "0.5 1") + "</Time>"),
    "refused: the Grid \"s\" (out.xmf, line 1) has 3 steps, and 2 times");
}

// One text for a series of files; the mesh is in the first.
TEST(Xdmf, KnowsWhichFileIsMeant)
{
  const auto series = [](const std::string& prefix)
  {
    std::string grids;
    for (const std::string step : { "1", "2" })
    {
      grids += "<Grid><Time Value='" + step +
        "'/><Topology TopologyType='Triangle' NumberOfElements='1'>" +
        Item("1 3", prefix + "1.h5:/cells") + "</Topology><Geometry GeometryType='XYZ'>" +
        Item("3 3", prefix + "1.h5:/points") + "</Geometry>" +
        Attribute("u", Item("3", prefix + step + ".h5:/u")) + "</Grid>";
    }
    return Xdmf(
      "<Grid Name='s' GridType='Collection' CollectionType='Temporal'>" + grids + "</Grid>");
  };
  Data data;
  data.Shapes = { { "/u", { 3 } }, { "/cells", { 1, 3 } }, { "/points", { 3, 3 } },
    { "/run/s.1.h5:/cells", { 1, 3 } }, { "/run/s.1.h5:/points", { 3, 3 } } };
  EXPECT_EQ(Told(series("s."), data, {}, "/run/s.2.h5"),
    "time 2\npart s: unstructured, 3 points at /run/s.1.h5:/points[i:3, c:3]; 1 cells of VTK's "
    "type 5 with 3 points each, "
    "/run/s.1.h5:/cells[0, c:3]\n  point array u: /u[i:3]\n");
  EXPECT_EQ(Told(series("s."), data, {}, "/run/s.1.h5"),
    "time 1\npart s: unstructured, 3 points at /points[i:3, c:3]; 1 cells of VTK's type 5 with 3 "
    "points each, "
    "/cells[0, c:3]\n  point array u: /u[i:3]\n");
  // A text of other steps serves as well.
  EXPECT_EQ(
    Told(
      Xdmf("<Grid Name='g'>" + Image + Attribute("u", Item("7 5 9", "s.0001.h5:/v")) + "</Grid>"),
      []
      {
        Data d;
        d.Shapes = { { "/v", { 7, 5, 9 } } };
        return d;
      }(),
      {}, "/elsewhere/s.0017.h5"),
    "part g: uniform, 9 x 5 x 7 points, origin 1 2 3, spacing 0.5 1 2\n  point array u: /v[z:7, "
    "y:5, x:9]\n");
  EXPECT_EQ(Told(series("s."), data, {}, "/run/other.h5"),
    "refused: the XDMF description does not refer to /run/other.h5, nor to files whose names "
    "differ from it only in their "
    "numbers: it names s.1.h5");
}

TEST(Xdmf, IsNothingElse)
{
  const Data data;
  EXPECT_EQ(
    Told("<html/>", data), "refused: the XDMF description begins with <html>, not with <Xdmf>");
  EXPECT_EQ(Told("<Xdmf>", data).substr(0, 25), "refused: out.xmf is no XM");
  EXPECT_NE(Told("<Xdmf><Domain/></Xdmf>", data).find("does not refer to"), std::string::npos);
}

TEST(Xdmf, CalculatesSums)
{
  XdmfFunction minus;
  minus.Factor[0] = 1;
  minus.Added = -1;
  EXPECT_EQ(ParseXdmfFunction("$0 - 1"), minus);
  XdmfFunction scaled;
  scaled.Factor = { { 0, 4 }, { 1, -2.5 } };
  scaled.Added = 3e-2;
  EXPECT_EQ(ParseXdmfFunction(" 2*($0 + 1.0D0)*2 - $1 * 2.5 - 4 + 3e-2"), scaled);
  XdmfFunction joined;
  joined.Joined = { 2, 0 };
  EXPECT_EQ(ParseXdmfFunction("join( $2 , $0 )"), joined);
  for (const char* text : { "", "$0 *", "$0 * $1", "1 / $0", "sqrt($0)", "$0 $1", "$",
         "JOIN($0; $1)", "JOIN()", "$99999", "(((($0", "$0 / 0" })
  {
    EXPECT_THROW(ParseXdmfFunction(text), dsm::Error) << text;
  }
  EXPECT_THROW(ParseXdmfFunction(std::string(1000, '(') + "$0"), dsm::Error);
}
