// SPDX-License-Identifier: BSD-3-Clause
#include "Base/Error.h"
#include "Steering/Declaration.h"
#include "Steering/SentArray.h"

#include <gtest/gtest.h>

#include <string>

namespace
{
using namespace dsm;

std::string Hash()
{
  return std::string(60, 'a') + "0f9e";
}

std::string Reason(const ParameterDeclaration& parameter, const std::string& value)
{
  try
  {
    parameter.Accept(value);
    return "accepted";
  }
  catch (const Error& error)
  {
    return error.what();
  }
}

TEST(SentArray, TextReadsBack)
{
  SentArray sent;
  sent.Shape = { "float32", { 512, 1, 18446744073709551615U } };
  sent.Hash = Hash();
  sent.Snapshot = SnapshotId(12);
  sent.Elements = FileOffset(2048);
  EXPECT_EQ(sent.Text(),
    "float32 512x1x18446744073709551615 sha256:" + Hash() + " snapshot:12 offset:2048");
  const SentArray back = SentArray::FromText(sent.Text());
  EXPECT_EQ(back.Shape, sent.Shape);
  EXPECT_EQ(back.Hash, sent.Hash);
  EXPECT_EQ(back.Snapshot, sent.Snapshot);
  EXPECT_EQ(back.Elements, sent.Elements);
}

TEST(SentArray, OtherTextsAreRefused)
{
  const std::string hash = " sha256:" + Hash();
  for (const std::string& text : { std::string(), std::string("0.5"),
         "float64 2" + hash + " snapshot:1", "float64 2x" + hash + " snapshot:1 offset:0",
         "float64 -2" + hash + " snapshot:1 offset:0", "float64 2" + hash + " snapshot: offset:0",
         "float64 2 sha256:" + Hash().substr(1) + " snapshot:1 offset:0",
         "float64 2 sha256:" + std::string(64, '/') + " snapshot:1 offset:0",
         "float64 2" + hash + " snapshot:1 offset:18446744073709551616",
         "float64 2" + hash + " snapshot:1 offset:0 more" })
  {
    EXPECT_THROW(SentArray::FromText(text), Error) << text;
  }
}

TEST(SentArray, BytesFollowFromTheShape)
{
  EXPECT_EQ((ArrayShape{ "uint8", { 3, 5 } }).Bytes(), 15u);
  EXPECT_EQ((ArrayShape{ "int64", { 3, 0, 5 } }).Bytes(), 0u);
  EXPECT_EQ((ArrayShape{ "float64", { 8191, 1024 } }).Bytes(), 67100672u);
  EXPECT_THROW(static_cast<void>((ArrayShape{ "complex128", { 1 } }).Bytes()), Error);
}

TEST(SentArray, AParameterTakesItsOwnShapeOnly)
{
  ParameterDeclaration parameter;
  parameter.Type = ValueType::Array;
  parameter.Array = { "int32", { 2, 3 } };
  const std::string rest = " sha256:" + Hash() + " snapshot:1 offset:0";
  EXPECT_EQ(Reason(parameter, "int32 2x3" + rest), "accepted");
  EXPECT_EQ(Reason(parameter, "int32 3x2" + rest), "expects int32 [2, 3], not int32 [3, 2]");
  EXPECT_EQ(Reason(parameter, "int64 2x3" + rest), "expects int32 [2, 3], not int64 [2, 3]");
  EXPECT_EQ(Reason(parameter, ""), "expects an array that was sent (dsm.Viewer.send), not \"\"");
}

}
