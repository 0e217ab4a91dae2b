// What Python cannot do by itself: run, and hold the numbers. Everything that is said or drawn is in the package beside it.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <string>
#include <type_traits>
#include <vector>

#include "dbandit/core/error.hpp"
#include "dbandit/policy/catalogue.hpp"
#include "dbandit/report/manifest.hpp"
#include "guest.hpp"
#include "held_result.hpp"
#include "runner.hpp"
#include "sim/keys.hpp"
#include "studies.hpp"

namespace py = pybind11;

namespace dbandit::python {
namespace {

/// What a type checker should take for a key.
template <class T>
std::string annotation(const T* /*tag*/) {
  return std::is_floating_point_v<T> ? "float" : std::is_integral_v<T> ? "int" : "str";
}
std::string annotation(const model::Window* /*tag*/) { return "int | None | str"; }
template <class T>
std::string annotation(const std::vector<T>* /*tag*/) {
  const std::string element = annotation(static_cast<const T*>(nullptr));
  return "Sequence[" + element + (element == "str" ? " | Policy | Index" : "") + "] | " + (element == "str" ? "str" : "Array");
}

/// The keys of a spec, for signatures, stubs and documentation: later ones appear by themselves.
py::list keys() {
  py::list keys;
  auto words = sim::key_words().begin();
  sim::for_each_key([&]<class T, class Allowed>(const sim::Key<T, Allowed>& key) {
    std::string keyword(key.name);
    std::ranges::replace(keyword, '-', '_');
    std::string type = annotation(static_cast<const T*>(nullptr));
    constexpr bool is_named = std::is_same_v<Allowed, sim::Names> || std::is_same_v<Allowed, sim::NamesOrAuto>;
    if (is_named) type = fmt::format("Literal['{}']", fmt::join(words->names, "', '"));
    keys.append(py::make_tuple(keyword, type, words->allowed, key.required));
    ++words;
  });
  return keys;
}

py::list catalogue() {
  py::list rows;
  for (const policy::Entry& entry : policy::catalogue()) {
    const char* const setting = entry.setting == policy::Setting::censored     ? "censored"
                                : entry.setting == policy::Setting::uncensored ? "uncensored"
                                                                               : "as given";
    rows.append(py::make_tuple(std::string(entry.id), setting, std::string(entry.summary)));
  }
  return rows;
}

/// What the command line calls something, and Python otherwise; said before flags become keywords.
struct Phrase {
  std::string_view program, python;
};
constexpr Phrase kPhrases[] = {
    {"see 'dbandit list policies'", "see dbandit.policies()"},
    {"('dbandit list policies')", "(dbandit.policies())"},
    {" ('dbandit list delays')", ""},
    {"'dbandit claims --list' shows them", "dbandit.claim_list() has them"},
    {"as in --censor 1000", "as in censor=1000"},
    {"--columns conversion=NAME", "columns={'conversion': NAME}"},
    {"--columns start=NAME", "columns={'start': NAME}"},
    {"allowed is a folder that 'dbandit run --out' wrote", "allowed is a folder that Result.save or 'dbandit run --out' wrote"},
};

/// "--prior-shape: 0 is not …" as Python says it: "prior_shape: 0 is not …".
std::string in_keywords(std::string message) {
  for (const auto& [program, python] : kPhrases) {
    if (const std::size_t at = message.find(program); at != std::string::npos) message.replace(at, program.size(), python);
  }
  std::string text;
  bool in_flag = false;
  for (std::size_t i = 0; i < message.size(); ++i) {
    const auto is_letter = [&](std::size_t at) { return at < message.size() && message[at] >= 'a' && message[at] <= 'z'; };
    const bool begins = i == 0 || message[i - 1] == ' ' || message[i - 1] == '\'' || message[i - 1] == '(';
    const std::size_t quote = message.rfind('\'', i);
    const bool of_the_program = quote != std::string::npos && message.compare(quote, 9, "'dbandit ") == 0;
    if (begins && !of_the_program && message.compare(i, 2, "--") == 0 && is_letter(i + 2)) {
      in_flag = true;
      ++i;
      continue;
    }
    if (message[i] != '-' && !is_letter(i)) in_flag = false;
    text += in_flag && message[i] == '-' ? '_' : message[i];
  }
  return text;
}

}  // namespace
}  // namespace dbandit::python

PYBIND11_MODULE(_engine, module) {
  namespace python = dbandit::python;
  module.doc() = "The engine under the package dbandit.";
  module.attr("__version__") = dbandit::report::build().version;
  static const py::exception<dbandit::UserError> error(module, "Error", PyExc_ValueError);
  error.attr("__module__") = "dbandit";
  error.attr("__doc__") = "What was given and what is allowed, in one line: the command line's, with keywords for flags.";
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const dbandit::UserError& caught) {
      PyErr_SetString(error.ptr(), python::in_keywords(caught.what()).c_str());
    }
  });
  module.def("keys", &python::keys);
  module.def("catalogue", &python::catalogue);
  python::declare_result(module);
  python::declare_guest(module);
  python::declare_runner(module);
  python::declare_studies(module);
}
