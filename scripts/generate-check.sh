#!/usr/bin/env bash
# Fails when `make generate` changes a file. It compares before with after, so a tree with work in progress can be checked too.
set -euo pipefail

fingerprint() {
  { git ls-files -coz --exclude-standard | xargs -0 grep -lsE '^(// Code generated .* DO NOT EDIT|<!-- generated )' || true; } |
    sort | xargs -r sha256sum
}

before=$(fingerprint)
go generate ./...
after=$(fingerprint)

if [[ $before != "$after" ]]; then
  echo "generate-check: these files were not what their sources say. They are rewritten now: review and commit them." >&2
  diff <(echo "$before") <(echo "$after") | sed -nE 's/^[<>] [0-9a-f]+ +/  /p' | sort -u >&2
  exit 1
fi
echo "generated files are up to date"
