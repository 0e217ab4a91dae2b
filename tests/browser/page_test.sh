#!/usr/bin/env bash
# The report page in Debian's chromium; skipped, with a word why, where there is none.
#   page_test.sh PROGRAM
set -euo pipefail
skip() { echo "skipped: $1" && exit 77; }
command -v node >/dev/null || skip "node is not installed (apt-get install nodejs)"
command -v chromium >/dev/null || skip "chromium is not installed (apt-get install chromium)"
if ! "$1" report --help >/dev/null; then exit 1; fi
[[ $("$1" report 2>&1 || true) != *"built without the chart library"* ]] || skip "the program was built without the chart library (apt-get install npm)"
exec node "$(dirname -- "${BASH_SOURCE[0]}")/page_test.mjs" "$1"
