// SPDX-License-Identifier: BSD-3-Clause
#include "Tools/ManPage.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <sstream>
#include <string_view>
#include <utility>

namespace dsm
{

namespace
{

// A page's lines are at most this long, if words allow it.
constexpr std::size_t LineLength = 78;

// Replaces the characters that roff would interpret, or would print as others.
std::string Escape(std::string text)
{
  using Replacement = std::pair<std::string_view, std::string_view>;
  constexpr std::array<Replacement, 8> replacements = { { { "\\", "\\(rs" }, { "-", "\\-" },
    { "'", "\\(aq" }, { "\"", "\\(dq" }, { "^", "\\(ha" }, { "~", "\\(ti" }, { "`", "\\(ga" },
    { "…", "\\[u2026]" } } };
  for (const auto& [from, to] : replacements)
  {
    for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    {
      text.replace(at, from.size(), to);
    }
  }
  return text.starts_with('.') ? "\\&" + text : text;
}

std::string Trim(const std::string& text)
{
  const auto begin = text.find_first_not_of(" \n");
  return begin == std::string::npos ? ""
                                    : text.substr(begin, text.find_last_not_of(" \n") + 1 - begin);
}

std::string Bold(const std::string& text)
{
  return "\\fB" + Escape(text) + "\\fR";
}

// Returns the text in lines of words.
std::string Fill(const std::string& text)
{
  std::istringstream words(text);
  std::string result;
  std::string line;
  for (std::string word; words >> word;)
  {
    word = Escape(word);
    if (!line.empty() && line.size() + 1 + word.size() > LineLength)
    {
      result += line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  return line.empty() ? result : result + line + "\n";
}

// Returns a description: each of its lines is a paragraph, or an example, which stays as it is.
std::string Paragraphs(const std::string& text)
{
  std::istringstream lines(text);
  std::string result;
  bool isExample = false;
  for (std::string line; std::getline(lines, line);)
  {
    if (Trim(line).empty())
    {
      continue;
    }
    if (isExample != (line.starts_with(' ') || line.starts_with("Example")))
    {
      isExample = !isExample;
      result += isExample ? ".PP\n.nf\n" : ".fi\n";
    }
    result += isExample ? Escape(line) + "\n" : (result.empty() ? "" : ".PP\n") + Fill(line);
  }
  return result + (isExample ? ".fi\n" : "");
}

// Returns the first sentence of a description, as a page's title has it.
std::string Summary(const std::string& description)
{
  std::string summary = description;
  for (const char* end : { ".\n", ". ", ": ", "\n" })
  {
    summary = summary.substr(0, summary.find(end));
  }
  if (summary.ends_with('.'))
  {
    summary.pop_back();
  }
  summary.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(summary.front())));
  return summary;
}

std::string Synopsis(const CLI::App& app)
{
  // It begins with "Usage: ".
  std::string usage = CLI::Formatter().make_usage(&app, app.get_name());
  usage = Escape(Trim(usage.substr(usage.find(' '))));
  const std::string name = Escape(app.get_name());
  return usage.replace(usage.find(name), name.size(), Bold(app.get_name())) + "\n";
}

// Returns an option as a paragraph: its names, what it takes, and what it does.
std::string OptionText(const CLI::Option& option)
{
  const CLI::Formatter formatter;
  std::string names;
  std::istringstream list(formatter.make_option_name(&option, option.get_positional()));
  for (std::string name; std::getline(list, name, ',');)
  {
    names += (names.empty() ? "" : ", ") + Bold(name);
  }
  const std::string value = Trim(formatter.make_option_opts(&option));
  return ".TP\n" + names + (value.empty() ? "" : " " + Escape(value)) + "\n" +
    Fill(option.get_description());
}

// Returns the options of an app, and then those of each of its groups.
std::string Options(const CLI::App& app)
{
  // Hidden options have no group, and each group of options has the app's --help again.
  const auto isShown = [&app](const CLI::Option* option)
  { return !option->get_group().empty() && (!app.get_parent() || option != app.get_help_ptr()); };
  std::string result;
  for (const CLI::Option* option : app.get_options(isShown))
  {
    result += OptionText(*option);
  }
  for (const CLI::App* group : app.get_subcommands({}))
  {
    std::string title = group->get_group();
    title.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(title.front())));
    result += ".SS " + Escape(title) + "\n" + Paragraphs(CLI::Formatter().make_description(group)) +
      Options(*group);
  }
  return result;
}

}

std::string ManPage(const CLI::App& app, const ManPageNotes& notes)
{
  std::string title = app.get_name();
  std::transform(title.begin(), title.end(), title.begin(),
    [](unsigned char letter) { return static_cast<char>(std::toupper(letter)); });
  std::ostringstream page;
  page << ".TH " << Escape(title) << " 1 " << notes.Date << " \"ParaView DSM " << notes.Version
       << "\" \"User Commands\"\n"
       << ".SH NAME\n"
       << Fill(app.get_name() + " - " + Summary(app.get_description())) << ".SH SYNOPSIS\n"
       << Synopsis(app) << ".SH DESCRIPTION\n"
       << Paragraphs(app.get_description()) << ".SH OPTIONS\n"
       << Options(app) << ".SH SEE ALSO";
  for (const std::string& other : notes.Others)
  {
    page << "\n.BR " << Escape(other) << (&other == &notes.Others.back() ? " (1)" : " (1),");
  }
  return page.str();
}

}
