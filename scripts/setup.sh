#!/usr/bin/env bash
# Makes sure that the tests can run on this machine: a C compiler, for the race detector, and what optional features need, so that they are
# tested too. Without the rights to install, only the compiler is a must. What is there already is not installed again.
set -euo pipefail
cd "$(dirname "$0")/.."

# roslib needs at least this version of node.
node_is_new() { [[ $(node --version 2>/dev/null) =~ ^v([0-9]+) && ${BASH_REMATCH[1]} -ge 20 ]]; }

missing=()
compiler=$(go env CC)
command -v "$compiler" >/dev/null || missing+=(gcc libc6-dev)
{ ldconfig -p 2>/dev/null || true; } | grep -q 'libapriltag\.so\.3' || missing+=(libapriltag3)
# The package belongs to the distribution's python3, which another one may hide; the tests look for both.
python3 -c 'import websocket' 2>/dev/null || /usr/bin/python3 -c 'import websocket' 2>/dev/null || missing+=(python3-websocket)
node_is_new || missing+=(nodejs)
command -v npm >/dev/null || missing+=(npm)

if [[ ${#missing[@]} -gt 0 ]]; then
  echo "setup: missing ${missing[*]}"
  if [[ $(id -u) -eq 0 ]] && command -v apt-get >/dev/null; then
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"
  else
    echo "setup: install them, then run make again: sudo apt-get install ${missing[*]}" >&2
    command -v "$compiler" >/dev/null
  fi
fi

# roslib, the JavaScript client, for the conformance test of rosbridge/ and the example that uses it.
roslib=bin/roslib-conformance
mkdir -p "$roslib"
cp rosbridge/testdata/roslib/* "$roslib/"
if [[ ! $roslib/node_modules/.package-lock.json -nt rosbridge/testdata/roslib/package-lock.json ]]; then
  if ! node_is_new || ! command -v npm >/dev/null; then
    echo "setup: node is older than 20 or npm is not there: roslib is not tested" >&2
  elif ! (cd "$roslib" && npm ci --no-audit --no-fund --loglevel=error); then
    echo "setup: npm cannot install roslib: it is not tested" >&2
  fi
fi
