// Command testsum turns the stream of `go test -json` into what a person wants to see: one line for a package, the whole output of
// what failed, and the totals at the end, as "N passed, N failed, N skipped". It exits with 1 when anything failed or nothing ran,
// so that a test run cannot look green by being empty.
//
//	go test -json ./... 2>&1 | testsum [-o FILE]    (-o also writes the totals to FILE)
package main
