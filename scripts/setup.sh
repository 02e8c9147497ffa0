#!/usr/bin/env bash
# Makes sure that the tests can run on this machine: a C compiler, for the race detector, and what optional features need, so that they are
# tested too. Without the rights to install, only the compiler is a must.
set -euo pipefail

missing=()
compiler=$(go env CC)
command -v "$compiler" >/dev/null || missing+=(gcc libc6-dev)
{ ldconfig -p 2>/dev/null || true; } | grep -q 'libapriltag\.so\.3' || missing+=(libapriltag3)
# The package belongs to the distribution's python3, which another one may hide; the tests look for both.
python3 -c 'import websocket' 2>/dev/null || /usr/bin/python3 -c 'import websocket' 2>/dev/null || missing+=(python3-websocket)

if [[ ${#missing[@]} -eq 0 ]]; then
  exit 0
fi

echo "setup: missing ${missing[*]}"
if [[ $(id -u) -eq 0 ]] && command -v apt-get >/dev/null; then
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"
  exit 0
fi
echo "setup: install them, then run make again: sudo apt-get install ${missing[*]}" >&2
command -v "$compiler" >/dev/null
