##@ Measure
.PHONY: bench bench-compare

bench: ## every benchmark as one table with yardsticks and targets; BENCH=Publish PKG=./internal/bus/ BENCHTIME=1s narrow
	@mkdir -p $(BIN)
	@$(GO) test -run='^$$' -bench='$(or $(BENCH),.)' -benchtime=$(or $(BENCHTIME),1s) -benchmem $(or $(PKG),./...) > $(BIN)/bench.txt 2>&1 \
	  || { cat $(BIN)/bench.txt; exit 1; }
	@$(GO) run ./internal/tools/benchtable < $(BIN)/bench.txt

$(BIN)/tools/benchstat: tools/go.mod tools/go.sum
	cd tools && $(GO) build -o ../$@ golang.org/x/perf/cmd/benchstat
	@touch $@

bench-compare: $(BIN)/tools/benchstat ## the last bench against an earlier one: OLD=old.txt (a kept copy of bin/bench.txt)
	$< $(or $(OLD),$(error say which file to compare with: OLD=old.txt)) $(BIN)/bench.txt
