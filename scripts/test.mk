##@ Test
.PHONY: test ci ci-rest race vet scenarios sweep cross fuzz cover setup

test: setup generate-check vet race scenarios cross ## what must be green before a commit; installs what it needs on a fresh machine

ci: test ci-rest ## what CI runs: test, then lint, tidy-check, short fuzz and short benchmarks

ci-rest: lint tidy-check
	$(MAKE) fuzz FUZZTIME=300x
	$(MAKE) bench BENCHTIME=20ms

setup: ## install what the tests need and this machine lacks (a C compiler for the race detector)
	@scripts/setup.sh

vet:
	$(GO) vet ./...

# The raw stream goes through testsum, which prints one line a package, all of a failure, and the totals that .ci/run repeats.
race: setup ## unit, property, node and contract tests under the race detector; PKG=./internal/bus/... narrows
	@mkdir -p $(BIN)
	$(GO) build -o $(BIN)/testsum ./internal/tools/testsum
	CGO_ENABLED=1 $(GO) test -race -json $(or $(PKG),./...) 2>&1 | $(BIN)/testsum -o $(BIN)/test-summary.txt

scenarios: build ## whole-system scenarios over a few seeds each
	$(BIN)/sarathi scenarios run scenarios/ --seeds 3

sweep: build ## the same over many seeds, on all cores: N=1000
	$(BIN)/sarathi scenarios run scenarios/ --seeds $(or $(N),1000)

cross: ## the tree builds for the robots' computers (arm64, no cgo)
	CGO_ENABLED=0 GOOS=linux GOARCH=arm64 $(GO) build ./...

fuzz: ## every fuzz target for FUZZTIME each (10s; 300x counts runs instead)
	@scripts/fuzz.sh $(or $(FUZZTIME),10s)

cover: ## statement coverage of every package, and the lines in bin/coverage.html
	@mkdir -p $(BIN)
	$(GO) test -coverprofile=$(BIN)/coverage.out ./...
	$(GO) tool cover -html=$(BIN)/coverage.out -o $(BIN)/coverage.html
	$(GO) tool cover -func=$(BIN)/coverage.out | tail -1
