#!/usr/bin/env bash
# Runs every fuzz target in the tree for the given time (10s) or number of inputs (300x). The first failure ends the run and says how
# to repeat it.
set -euo pipefail

fuzztime=${1:?usage: scripts/fuzz.sh 10s}
count=0

while IFS=: read -r file declaration; do
  name=$(sed -E 's/^func (Fuzz[A-Za-z0-9_]*)\(.*/\1/' <<<"$declaration")
  package=./$(dirname "$file")
  count=$((count + 1))
  echo "fuzz: $package $name ($fuzztime)"
  # Minimizing every new input takes up to a minute each by default and finds no bugs.
  if ! go test -run='^$' -fuzz="^$name\$" -fuzztime="$fuzztime" -fuzzminimizetime=10x "$package"; then
    echo "fuzz: $name failed. The input is kept under $package/testdata/fuzz/$name; repeat with:" >&2
    echo "  go test -run='^$name\$' $package" >&2
    exit 1
  fi
done < <(git ls-files -co --exclude-standard -- '*_test.go' | xargs grep -HE '^func Fuzz[A-Z][A-Za-z0-9_]*\(')

if [[ $count -eq 0 ]]; then
  echo "fuzz: found no fuzz target; run from the root of the repository" >&2
  exit 1
fi
echo "fuzz: $count targets held"
