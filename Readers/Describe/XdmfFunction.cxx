// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/XdmfFunction.h"

#include "Base/Error.h"
#include "Describe/Text.h"

#include <algorithm>

namespace dsm::describe
{

namespace
{
constexpr int DeepestNesting = 50;

/// Takes an expression apart: sums of products of what is in parentheses, numbers and "$0".
class Parser
{
public:
  explicit Parser(std::string text);
  XdmfFunction All();

private:
  [[noreturn]] void Fail() const;
  char Next();
  XdmfFunction Sum();
  static void Multiply(XdmfFunction& by, double factor);
  XdmfFunction Product();
  XdmfFunction Value();
  std::size_t Item();

  std::string Text;
  std::size_t At = 0;
  int Depth = 0;
};

Parser::Parser(std::string text)
  : Text(std::move(text))
{
}

XdmfFunction Parser::All()
{
  XdmfFunction sum = this->Sum();
  if (this->Next() != '\0')
  {
    this->Fail();
  }
  return sum;
}

[[noreturn]] void Parser::Fail() const
{
  throw Error(Fault::Unsupported,
    "the Function \"{}\" is neither a sum of DataItems with factors nor JOIN($0, $1, …)",
    this->Text);
}

char Parser::Next()
{
  this->At = std::min(this->Text.find_first_not_of(" \t\r\n", this->At), this->Text.size());
  return this->At < this->Text.size() ? this->Text[this->At] : '\0';
}

XdmfFunction Parser::Sum()
{
  if (++this->Depth > DeepestNesting)
  {
    this->Fail();
  }
  XdmfFunction sum;
  double sign = 1;
  if (const char first = this->Next(); first == '-' || first == '+')
  {
    sign = first == '-' ? -1 : 1;
    ++this->At;
  }
  while (true)
  {
    const XdmfFunction term = this->Product();
    for (const auto& [item, factor] : term.Factor)
    {
      sum.Factor[item] += sign * factor;
    }
    sum.Added += sign * term.Added;
    const char next = this->Next();
    if (next != '+' && next != '-')
    {
      break;
    }
    sign = next == '-' ? -1 : 1;
    ++this->At;
  }
  --this->Depth;
  return sum;
}

void Parser::Multiply(XdmfFunction& by, double factor)
{
  for (auto& [item, own] : by.Factor)
  {
    own *= factor;
  }
  by.Added *= factor;
}

XdmfFunction Parser::Product()
{
  XdmfFunction product = this->Value();
  for (char next = this->Next(); next == '*' || next == '/'; next = this->Next())
  {
    ++this->At;
    XdmfFunction right = this->Value();
    if (next == '/' && right.Factor.empty() && right.Added != 0)
    {
      right.Added = 1 / right.Added;
    }
    else if (next == '/' || (!right.Factor.empty() && !product.Factor.empty()))
    {
      this->Fail();
    }
    if (right.Factor.empty())
    {
      Multiply(product, right.Added);
    }
    else
    {
      Multiply(right, product.Added);
      product = right;
    }
  }
  return product;
}

XdmfFunction Parser::Value()
{
  const char first = this->Next();
  if (first == '(')
  {
    ++this->At;
    XdmfFunction inside = this->Sum();
    if (this->Next() != ')')
    {
      this->Fail();
    }
    ++this->At;
    return inside;
  }
  if (first == '$')
  {
    ++this->At;
    XdmfFunction item;
    item.Factor[this->Item()] = 1;
    return item;
  }
  const auto begin = this->At;
  bool exponent = false;
  for (; this->At < this->Text.size(); ++this->At)
  {
    const char letter = this->Text[this->At];
    const bool sign = (letter == '-' || letter == '+') && exponent;
    exponent = letter == 'e' || letter == 'E' || letter == 'd' || letter == 'D';
    if ((letter < '0' || letter > '9') && letter != '.' && !exponent && !sign)
    {
      break;
    }
  }
  const auto number = AsNumber(this->Text.substr(begin, this->At - begin));
  if (!number)
  {
    this->Fail();
  }
  XdmfFunction constant;
  constant.Added = *number;
  return constant;
}

std::size_t Parser::Item()
{
  const auto begin = this->At;
  this->At = std::min(this->Text.find_first_not_of("0123456789", begin), this->Text.size());
  const auto number = AsCount(this->Text.substr(begin, this->At - begin));
  if (!number || *number > 1000)
  {
    this->Fail();
  }
  return *number;
}
}

XdmfFunction ParseXdmfFunction(const std::string& text)
{
  const std::string plain = Trimmed(text);
  if (LowerCase(plain).rfind("join", 0) != 0)
  {
    return Parser(plain).All();
  }
  XdmfFunction function;
  const std::string arguments = Trimmed(plain.substr(4));
  bool good = arguments.size() > 2 && arguments.front() == '(' && arguments.back() == ')';
  for (const std::string& one : Split(good ? arguments.substr(1, arguments.size() - 2) : "", ","))
  {
    const std::string item = Trimmed(one);
    const auto number = item.rfind('$', 0) == 0 ? AsCount(item.substr(1)) : std::nullopt;
    good = good && number;
    function.Joined.push_back(number.value_or(0));
  }
  if (!good || function.Joined.empty())
  {
    throw Error(Fault::Unsupported,
      "the Function \"{}\" joins something else than $0, $1, … as components", plain);
  }
  return function;
}

}
