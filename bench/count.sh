#!/usr/bin/env bash
# Instructions per replica-round by stage on the avx2 target, counted by callgrind: repeatable to the digit where times are not.
#   bench/count.sh             builds the program, prints the table and writes it to results/throughput/instructions.txt
#   bench/count.sh PROGRAM     the table of that dbandit, printed only
# The stages are the functions that kernel::rounds calls, each with all that it calls.
set -euo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
fail() { printf 'count.sh: %s\n' "$*" >&2 && exit 1; }
command -v valgrind >/dev/null || fail "valgrind is missing (Debian: valgrind)"
if [ $# = 0 ]; then
  "$root/run.sh" --version >/dev/null
  program=$root/build/release/src/dbandit
else
  program=$1
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

rounds=3000 replicas=128 policies=(d-ucb d-klucb)
# shellcheck disable=SC2054 # the commas belong to the value
problem=(--theta 0.1,0.05,0.03 --delay geometric:500 --censor 1000 --seed 1)

for policy in "${policies[@]}"; do
  env -i PATH="$PATH" valgrind --tool=callgrind --callgrind-out-file="$scratch/$policy" --compress-strings=no --compress-pos=no --dump-line=no \
    --toggle-collect='void dbandit::kernel::rounds<*' "$program" run "${problem[@]}" --horizon $rounds --replicas $replicas --at $rounds \
    --policies "$policy" --target avx2 --threads 1 --quiet >/dev/null 2>"$scratch/log" || fail "$(tail -n 5 "$scratch/log")"
  # "stage instructions" lines; what is left of the rounds themselves is called rounds.
  awk '
    function stage(name) { name = substr(name, index(name, "kernel::") + 8); sub(/[^a-z_].*/, "", name); return name }
    /^fn=/ { inside = $0 ~ /^fn=void dbandit::kernel::rounds</; next }
    /^cfn=/ { callee = stage($0); next }
    /^calls=/ { called = 1; next }
    inside && /^[0-9]/ { count[called ? callee : "rounds"] += $2 }
    { called = 0 }
    END { for (name in count) print name, count[name] }' "$scratch/$policy" >"$scratch/$policy.stages"
done

table() {
  echo "Instructions per replica-round on avx2, counted by callgrind (bench/count.sh)"
  echo "dbandit run ${problem[*]} --horizon $rounds --replicas $replicas; $("$program" --version | sed 's/.*, \(.*\))/\1/')"
  echo
  awk -v cells=$((rounds * replicas)) '
    FNR == 1 { ++files }
    { count[$1, files] = $2; total[files] += $2; seen[$1] = 1 }
    function line(name) { printf "%-14s %12.4f %12.4f\n", name, count[name, 1] / cells, count[name, 2] / cells; delete seen[name] }
    END {
      printf "%-14s %12s %12s\n", "stage", "d-ucb", "d-klucb"
      n = split("choose settle draw_batch draw_events convert keep_books credit", order)
      for (i = 1; i <= n; ++i) if (order[i] in seen) line(order[i])
      for (name in seen) if (name != "rounds") line(name)
      line("rounds")
      printf "%-14s %12.4f %12.4f\n", "all", total[1] / cells, total[2] / cells
      printf "%-14s %12d %12d\n", "instructions", total[1], total[2]
    }' "$scratch/d-ucb.stages" "$scratch/d-klucb.stages"
}
if [ $# = 0 ]; then
  mkdir -p "$root/results/throughput"
  table | tee "$root/results/throughput/instructions.txt"
else
  table
fi
