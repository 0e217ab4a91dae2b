#include "dbandit/sim/draft.hpp"

#include "dbandit/core/error.hpp"
#include "dbandit/sim/names.hpp"
#include "dbandit/sim/validate.hpp"
#include "given.hpp"

namespace dbandit::sim {

namespace {

template <class T>
std::string names_of() {
  return {};
}
template <class T>
requires std::is_enum_v<T> std::string names_of() { return one_of<T>(); }

[[noreturn]] void refuse(const SpecDraft& draft, std::string_view key, const std::string& text) {
  const auto origin = draft.origin.find(key);
  const std::string where = origin == draft.origin.end() ? "--" : origin->second + ": ";
  throw UserError(where + std::string(key) + ": " + text);
}

}  // namespace

std::string allowed(std::string_view key) {
  std::string text;
  for_each_key([&]<class T, class Resolved>(const Key<T, Resolved>& known) {
    if (known.name != key) return;
    text = known.allowed.empty() ? names_of<Resolved>() : std::string(known.allowed);
    if constexpr (!std::is_same_v<T, Resolved>) text.insert(text.find(':') + 1, " auto");
  });
  return text;
}

std::vector<std::string_view> key_names() {
  std::vector<std::string_view> names;
  for_each_key([&](const auto& key) { names.push_back(key.name); });
  return names;
}

void assign(SpecDraft& draft, std::string_view key, std::string_view text) {
  const auto wrong = assign_given(draft, key, {{{std::string(text), Form::flag}}, false});
  if (const auto entry = draft.origin.find(key); entry != draft.origin.end()) draft.origin.erase(entry);
  if (wrong) refuse(draft, key, *wrong);
}

SpecDraft merge(SpecDraft draft, const SpecDraft& overrides) {
  for_each_key([&](const auto& key) {
    if (!(overrides.*key.field)) return;
    draft.*key.field = overrides.*key.field;
    draft.origin.erase(std::string(key.name));
  });
  for (const auto& [key, where] : overrides.origin) draft.origin[key] = where;
  return draft;
}

SpecDraft draft_of(const Spec& spec) {
  SpecDraft draft;
  for_each_key([&](const auto& key) { draft.*key.field = spec.*key.resolved; });
  return draft;
}

Spec finish(const SpecDraft& draft) {
  Spec spec;
  if (draft.engine == Auto<Engine>(Engine::reference)) {
    spec.exposure = model::Exposure::buffer;
    spec.solver = model::Solver::bisection;
  }
  for_each_key([&]<class T, class Resolved>(const Key<T, Resolved>& key) {
    const std::optional<T>& said = draft.*key.field;
    if (!said) {
      if (key.required) refuse(draft, key.name, "is missing; give " + allowed(key.name));
      return;
    }
    if constexpr (std::is_same_v<T, Resolved>) {
      spec.*key.resolved = *said;
    } else if (*said) {
      spec.*key.resolved = **said;
    }
  });
  const bool exposure_is_open = !draft.exposure || !*draft.exposure;
  if (exposure_is_open && spec.engine == Engine::simd && !model::has_recursion(believed(spec))) spec.exposure = model::Exposure::buffer;
  spec = normalised(std::move(spec));
  if (const auto wrong = fault(spec)) refuse(draft, wrong->key, wrong->text);
  return spec;
}

}  // namespace dbandit::sim
