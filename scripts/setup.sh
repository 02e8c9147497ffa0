#!/usr/bin/env bash
# Makes sure that the tests can run on this machine. The only thing they need besides Go is a C compiler, for the race detector.
set -euo pipefail

compiler=$(go env CC)
if command -v "$compiler" >/dev/null; then
  exit 0
fi

echo "setup: no C compiler ($compiler), which the race detector needs"
if [[ $(id -u) -eq 0 ]] && command -v apt-get >/dev/null; then
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends gcc libc6-dev
  exit 0
fi
echo "setup: install one, then run make again: sudo apt-get install gcc libc6-dev" >&2
exit 1
