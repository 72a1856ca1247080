// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/XmlTree.h"

#include "Base/Error.h"

#include <gtest/gtest.h>

using namespace dsm::describe;

namespace
{
std::map<std::string, std::string>& Files()
{
  static std::map<std::string, std::string> files;
  return files;
}

std::shared_ptr<const XmlElement> Parse(const std::string& text, const XmlLimits& limits = {})
{
  return ParseXml(
    { "a.xmf", text },
    [](const std::string& name, const std::string&)
    {
      const auto found = Files().find(name);
      if (found == Files().end())
      {
        throw dsm::Error(dsm::Fault::System, "there is no {}", name);
      }
      return XmlSource{ name, found->second };
    },
    limits);
}

// All names and texts, in short.
std::string Told(const XmlElement& element)
{
  std::string told = element.Name;
  for (const auto& [name, value] : element.Attributes)
  {
    told += fmt::format(" {}={}", name, value);
  }
  told += element.Text.empty() ? "" : " \"" + element.Text + "\"";
  for (const auto& child : element.Children)
  {
    told += " (" + Told(*child) + ")";
  }
  return told;
}

std::string Why(const std::string& text, const XmlLimits& limits = {})
{
  try
  {
    return "good: " + Told(*Parse(text, limits));
  }
  catch (const dsm::Error& error)
  {
    return error.what();
  }
}
}

TEST(XmlTree, HasElementsAttributesAndText)
{
  const auto root =
    Parse("<?xml version=\"1.0\"?><!DOCTYPE a SYSTEM \"nowhere.dtd\" [<!ENTITY f \"x.h5\">]>\n"
          "<a B=\" 1 \"><!-- no --> &f;:/u <c/><![CDATA[ & ]]></a>");
  EXPECT_EQ(Told(*root), "a b=1 \"x.h5:/u  &\" (c)");
  EXPECT_EQ(root->Told(), "the a (a.xmf, line 2)");
  EXPECT_EQ((*root)["none"], "");
}

TEST(XmlTree, IncludesWhatIsInTheSameText)
{
  const std::string mesh = "<g N='m'><t>1</t><u/></g>";
  const std::map<std::string, std::string> pointers = {
    { "xpointer(/r/g[@N='m']/*[self::t or self::u])", "(t \"1\") (u)" },
    { "xmlns(x=y) xpointer( //g[1]/t )", "(t \"1\")" },
    { "element(/1/1/2)", "(u)" },
  };
  for (const auto& [pointer, found] : pointers)
  {
    for (const std::string space :
      { "http://www.w3.org/2001/XInclude", "https://www.w3.org/2001/XInclude", "" })
    {
      EXPECT_EQ(Why(fmt::format("<r xmlns:xi='{}'>{}<g><xi:include xpointer=\"{}\"/></g></r>",
                  space.empty() ? "x" : space, mesh, pointer)),
        fmt::format("good: r (g n=m (t \"1\") (u)) (g {})", found));
    }
  }
  // Without a declaration of the prefix.
  EXPECT_EQ(Why("<r>" + mesh + "<xi:include xpointer='xpointer(//u)'/></r>"),
    "good: r (g n=m (t \"1\") (u)) (u)");
}

TEST(XmlTree, IsTheSameElementWhereverItIsIncluded)
{
  const auto root =
    Parse("<r><m/><g><include xpointer='xpointer(//m)'/></g><g><m Reference='/r/m'/></g>"
          "<g><m Reference='XML'> /r/m </m></g></r>");
  for (int i = 1; i < 4; ++i)
  {
    EXPECT_EQ(root->Children[i]->Children[0], root->Children[0]);
  }
}

TEST(XmlTree, IncludesOtherFiles)
{
  Files() = { { "b.xmf", "<b><include href='c.xmf'/></b>" }, { "c.xmf", "<c><d/></c>" },
    { "n.txt", "1 2 <3" } };
  EXPECT_EQ(Why("<a><include href='b.xmf'/></a>"), "good: a (b (c (d)))");
  EXPECT_EQ(Why("<a><include href='b.xmf#xpointer(//d)'/></a>"),
    "a.xmf, line 1: includes //d, which is not there");
  EXPECT_EQ(Why("<a><include href='c.xmf' xpointer='xpointer(//d)'/></a>"), "good: a (d)");
  EXPECT_EQ(Why("<a><include href='n.txt' parse='text'/></a>"), "good: a \"1 2 <3\"");
  EXPECT_EQ(Why("<a><include href='none.xmf'/></a>"), "there is no none.xmf");
  EXPECT_EQ(
    Why("<a><include href='none.xmf'><fallback><e/></fallback></include></a>"), "good: a (e)");
}

TEST(XmlTree, ReadsNothingFromOutside)
{
  const std::string secret =
    "<!DOCTYPE a [<!ENTITY s SYSTEM \"file:///etc/passwd\"><!ENTITY % p SYSTEM "
    "\"file:///etc/passwd\">]><a>&s;</a>";
  EXPECT_EQ(Why(secret).find("root"), std::string::npos) << Why(secret);
}

TEST(XmlTree, RefusesWhatHasNoEnd)
{
  EXPECT_EQ(Why("<a><b><include xpointer='xpointer(//a)'/></b></a>"),
    "a.xmf, line 1: the element there contains itself, by inclusion or reference");
  EXPECT_EQ(Why("<a><b Reference='/a/b'/></a>"),
    "a.xmf, line 1: the element there contains itself, by inclusion or reference");
  std::string entities = "<!DOCTYPE a [<!ENTITY e0 \"0123456789\">";
  for (int i = 1; i < 12; ++i)
  {
    entities += fmt::format(
      "<!ENTITY e{0} \"&e{1};&e{1};&e{1};&e{1};&e{1};&e{1};&e{1};&e{1};&e{1};&e{1};\">", i, i - 1);
  }
  EXPECT_NE(Why(entities + "]><a>&e11;</a>").find("is no XML"), std::string::npos);
  // Each element includes the one before twice.
  std::string doubling = "<a><b id='b0'/>";
  for (int i = 1; i < 60; ++i)
  {
    doubling += fmt::format(
      "<b id='b{}'><include xpointer='b{}'/><include xpointer='b{}'/></b>", i, i - 1, i - 1);
  }
  EXPECT_EQ(Why(doubling + "</a>"), "a.xmf is too large: it has more than 4000000 elements");
  std::string path = "//*";
  for (int i = 0; i < 100; ++i)
  {
    path += "//*";
  }
  EXPECT_NE(Why("<a><b><b><b/></b></b><include xpointer=\"xpointer(count(" + path + "))\"/></a>")
              .find("a.xmf, line 1"),
    std::string::npos);
  std::string deep;
  for (int i = 0; i < 250; ++i)
  {
    deep += "<a>";
  }
  EXPECT_NE(Why(deep).find("a.xmf"), std::string::npos);
  EXPECT_EQ(Why("<a>0123456789</a>", { 10, 10, 10 }),
    "a.xmf is too large: with what it includes it has more than 0 MiB");
}

TEST(XmlTree, SaysWhatIsNoXml)
{
  EXPECT_NE(Why("").find("a.xmf is no XML"), std::string::npos);
  EXPECT_NE(Why("<a>").find("a.xmf is no XML: Premature end of data in tag a line 1 (line 1)"),
    std::string::npos)
    << Why("<a>");
  EXPECT_EQ(Why("<a><include xpointer='xpointer(//a[)'/></a>"),
    "a.xmf, line 1: \"//a[\" there is no XPath that can be followed");
  EXPECT_EQ(Why("<a><include xpointer='foo(1)'/></a>"),
    "a.xmf, line 1: \"foo(1)\" there is no pointer that is known: xpointer(XPath) is");
  EXPECT_EQ(Why("<a><b Reference='/c'/></a>"), "a.xmf, line 1: refers to /c, which is not there");
}
