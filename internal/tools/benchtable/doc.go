// Command benchtable prints the output of `go test -bench` as one table: what was measured, against what, and whether the target holds.
//
//	go test -run='^$' -bench=. ./... | benchtable [-strict]    (-strict: exit 1 when a target is missed)
//
// Benchmarks say all it needs:
//
//   - A sub-benchmark called sarathi is ours; another one beside it is the yardstick, named after whose code it runs:
//     BenchmarkGrid/json/sarathi and BenchmarkGrid/json/encoding-json. The ratio is yardstick / ours: 5 means five times faster.
//   - A metric whose unit ends in :min or :max is the target of the metric before the colon, reported by the same benchmark:
//     b.ReportMetric(p50, "p50-ns"); b.ReportMetric(2000, "p50-ns:max"); b.ReportMetric(0, "allocs/op:max").
//     The unit ratio stands for the ratio: b.ReportMetric(5, "ratio:min").
//   - A metric named x-real-time, MB/s and the like is shown as it is; B/op and allocs/op only where they have a target.
//
// The table is Markdown, so that it can be kept in docs/.
package main
