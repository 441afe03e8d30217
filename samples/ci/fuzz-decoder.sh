#!/bin/sh
# Fuzzes a decoder with fixed seeds: the same cases each time, so that a failure is the change's and not chance's.
#
#   fuzz-decoder.sh ./decoder            reads standard input
#   fuzz-decoder.sh python3 decode.py @@  reads a file
#
# SEEDS ("1 2 3"), CASES of each (2000), OUT (apnscope-failures), OPTIONS of apnscope fuzz ("--ignore token-all-zero").
# Status 0: no failure. 1: failures; OUT has each as small as can be, with a text beside it, which is shown.
# 2, 3: it could not be run.
set -u

if [ $# = 0 ]; then
  echo "usage: $0 COMMAND [ARGUMENT...]" >&2
  exit 2
fi
out=${OUT:-apnscope-failures}
failed=0
for seed in ${SEEDS:-1 2 3}; do
  # OPTIONS are words.
  # shellcheck disable=SC2086
  apnscope fuzz --seed "$seed" -c "${CASES:-2000}" --out "$out" ${OPTIONS:-} -- "$@"
  status=$?
  [ "$status" -le 1 ] || exit "$status"
  [ "$status" = 0 ] || failed=1
done
[ "$failed" = 1 ] || exit 0
for text in "$out"/*.txt; do
  echo
  cat "$text"
  if [ -n "${GITHUB_ACTIONS:-}" ]; then
    echo "::error title=apnscope fuzz::$(head -n 1 "$text" | sed 's/%/%25/g'); see the artifact $(basename "$out")"
  fi
done
exit 1
