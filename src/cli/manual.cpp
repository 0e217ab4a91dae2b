#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "dbandit/report/manifest.hpp"
#include "usage.hpp"

/// Manual pages, in the man(7) macros.
namespace dbandit::cli {
namespace {

/// Text that roff shows as it is.
std::string roff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n')) {
      out += std::string("\\&") + c;
    } else {
      out += c;
    }
  }
  return out;
}

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  return text;
}

/// The paragraphs at the end of a help: "Examples:" and the like become sections as manual pages call them, the others notes.
std::string sections(std::string_view end) {
  std::string text;
  bool in_notes = false;
  while (!end.empty()) {
    const std::size_t gap = std::min(end.find("\n\n"), end.size());
    const std::string_view paragraph = end.substr(0, gap);
    end.remove_prefix(std::min(gap + 2, end.size()));
    const std::size_t line = paragraph.find('\n');
    if (line != std::string_view::npos && line > 0 && paragraph[line - 1] == ':') {
      std::string heading(paragraph.substr(0, line - 1));
      if (heading == "Example") heading = "Examples";
      if (heading == "Exit codes") heading = "Exit status";
      text += fmt::format(".SH {}\n.nf\n{}\n.fi\n", upper(heading), roff(paragraph.substr(line + 1)));
      in_notes = false;
    } else {
      text += fmt::format("{}\n{}\n", in_notes ? ".PP" : ".SH NOTES", roff(paragraph));
      in_notes = true;
    }
  }
  return text;
}

std::string options(const Usage& usage) {
  std::string text, group;
  for (const Word& word : usage.words) {
    const std::string heading = word.is_flag() ? word.group : "Arguments";
    if (heading != group) text += fmt::format("{}.SS {}\n", group.empty() ? ".SH OPTIONS\n" : "", roff(heading));
    group = heading;
    text += ".TP\n";
    text += word.expected.metavar.empty() || !word.is_flag()
                ? fmt::format(".B {}\n", roff(word.long_name()))
                : fmt::format(".BI {} \" {}\"\n", roff(word.long_name()), roff(word.expected.metavar));
    text += roff(word.help) + "\n";
    if (!word.expected.allowed.empty()) text += fmt::format(".br\nAllowed: {}.\n", roff(word.expected.allowed));
  }
  return text;
}

}  // namespace

std::string manual_page(const Usage& usage, const std::vector<Usage>& all) {
  const bool is_program = usage.name.empty();
  const std::string name = is_program ? "dbandit" : "dbandit-" + usage.name;
  std::string summary = usage.summary;
  if (summary.ends_with('.')) summary.pop_back();
  std::string text = fmt::format(".TH {} 1 \"\" \"dbandit {}\" \"User Commands\"\n.SH NAME\n{} \\- {}\n.SH SYNOPSIS\n", upper(name),
                                 report::build().version, roff(name), roff(summary));
  if (is_program) {
    text += ".B dbandit\n.I COMMAND\n[flags]\n.SH COMMANDS\n";
    for (const Usage& command : all) {
      if (!command.name.empty()) text += fmt::format(".TP\n.BR dbandit\\-{} (1)\n{}\n", roff(command.name), roff(command.summary));
    }
  } else {
    text += fmt::format(".B dbandit {}\n", roff(usage.name));
    for (const Word& word : usage.words) {
      if (!word.is_flag()) text += fmt::format("[\\fI{}\\fR{}]\n", roff(word.long_name()), word.repeated() ? "..." : "");
    }
    text += "[flags]\n";
  }
  text += options(usage) + sections(usage.end) + ".SH SEE ALSO\n";
  std::string others;
  for (const Usage& other : all) {
    if (other.name == usage.name) continue;
    others += fmt::format("{}.BR dbandit{} (1)", others.empty() ? "" : ",\n", other.name.empty() ? "" : "\\-" + roff(other.name));
  }
  return text + others + "\n";
}

}  // namespace dbandit::cli
