#!/usr/bin/env bash
# What the action (action.yml) does after installing: asks, and turns the exit code into that of the job.
# Inputs are variables of the environment, so that nothing in them is run as a command.
set -uo pipefail

case "${COMMAND:-check}" in
  check | fence | reach) ;;
  *)
    echo "error: '${COMMAND}' is not check, fence or reach" >&2
    exit 2
    ;;
esac
# Files and options are words, as typed; patterns are left to the shell that wrote them.
set -f
read -r -a files <<<"${FILES:-}"
read -r -a options <<<"${OPTIONS:-}"
if ((${#files[@]} == 0)); then
  echo "error: no files" >&2
  exit 2
fi
ask=(fencewright "${COMMAND:-check}" --timeout "${TIMEOUT:-300}" "${options[@]}")
if [[ -n ${SARIF:-} ]]; then
  "${ask[@]}" --format sarif "${files[@]}" >"$SARIF"
else
  "${ask[@]}" --format github "${files[@]}"
fi
code=$?
if ((code == 3)) && [[ ${UNDECIDED:-fail} == pass ]]; then
  echo "undecided, which this job lets pass"
  code=0
fi
exit "$code"
