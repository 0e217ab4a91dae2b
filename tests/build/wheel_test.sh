#!/usr/bin/env bash
# Makes the wheel, looks into it and installs it into a fresh environment, without an index; with a fifth argument in a clean root of that release.
#   wheel_test.sh SOURCE BUILD SCRATCH PYTHON [RELEASE]
# Exits with 77, which ctest counts as skipped, where the tools or the rights are missing.
set -euo pipefail
source=$1 build=$2 scratch=$3 python=$4 release=${5:-}
# shellcheck source=tests/build/clean_root.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/clean_root.sh"
"$python" -c 'import ensurepip, numpy, venv' 2>/dev/null || skip "no venv, pip or NumPy for $python here"
[ -f "$build/python/dbandit/__init__.pyi" ] || skip "the module is not built"

rm -rf "$scratch"
mkdir -p "$scratch/again"
make_wheel() { PYTHONPATH=$source/src/python "$python" -B -c 'import sys, wheel_backend as b; print(b.build_wheel(sys.argv[1], {"build-dir": sys.argv[2]}))' "$1" "$build" | tail -n 1; }
wheel=$scratch/$(make_wheel "$scratch")
cmp "$wheel" "$scratch/again/$(make_wheel "$scratch/again")" || fail "two wheels of one build differ"
contents=$("$python" -m zipfile -l "$wheel")
for file in dbandit/__init__.py dbandit/__init__.pyi dbandit/_engine.pyi dbandit/py.typed 'dbandit/_engine.*\.so' 'dbandit-.*/METADATA' 'dbandit-.*/LICENSE'; do
  grep -qE "^$file " <<<"$contents" || fail "the wheel has no $file"
done

problem='--theta 0.1,0.05 --delay geometric:100 --censor 300 --horizon 2000 --policies d-klucb --replicas 1000'
example="import dbandit, importlib.metadata
assert dbandit.__version__ == importlib.metadata.version('dbandit'), dbandit.__version__
r = dbandit.run(theta=[.1, .05], delay='geometric:100', censor=300, horizon=2000, policies=['d-klucb'], replicas=1000)
r.save('result')
print(dbandit.__file__)
print(r)"
# shellcheck disable=SC2086 # words
"$build/src/dbandit" run $problem --out "$scratch/theirs" --quiet >/dev/null

if [ -n "$release" ]; then
  clean_root "$release" python3,python3-venv,python3-numpy,libtbb12,libfmt9,libnlopt0
  cp "$wheel" "$root"
  inside "python3 -m venv --system-site-packages /env && /env/bin/pip install --no-index /${wheel##*/}" >"$scratch/pip.log" 2>&1 || { cat "$scratch/pip.log" && fail "pip install"; }
  inside "/env/bin/python -c \"$example\"" >"$scratch/example.log" 2>&1 || { cat "$scratch/example.log" && fail "the first example"; }
  grep -q '^/env/' "$scratch/example.log" || fail "another dbandit was imported"
  cmp "$root/result/curve.csv" "$scratch/theirs/curve.csv" || fail "the bytes are not the program's"
  exit 0
fi

# From the tree, as a reader would; the build is there already.
"$python" -m venv --system-site-packages "$scratch/env"
"$scratch/env/bin/pip" install --no-build-isolation --no-index --no-cache-dir "--config-settings=build-dir=$build" "$source" >"$scratch/pip.log" 2>&1 ||
  { cat "$scratch/pip.log" && fail "pip install"; }
(cd "$scratch" && env -u PYTHONPATH env/bin/python -B -c "$example") >"$scratch/example.log" 2>&1 || { cat "$scratch/example.log" && fail "the first example"; }
grep -q "^$scratch/env/" "$scratch/example.log" || fail "another dbandit was imported"
grep -q '^d-klucb ' "$scratch/example.log" || fail "the table"
for file in spec.toml curve.csv summary.json; do
  cmp "$scratch/result/$file" "$scratch/theirs/$file" || fail "the bytes of $file are not the program's"
done
