##@ Quality
.PHONY: lint fmt generate generate-check tidy-check

# Built once from the versions pinned in tools/go.mod, which is a module of its own so that linters are no dependency of the robot.
$(BIN)/tools/golangci-lint: tools/go.mod tools/go.sum
	@echo "building golangci-lint (once, a few minutes)"
	cd tools && $(GO) build -o ../$@ github.com/golangci/golangci-lint/v2/cmd/golangci-lint
	@touch $@

lint: $(BIN)/tools/golangci-lint ## static checks and formatting, as .golangci.yml says; PKG=./internal/bus/... narrows
	$< run $(or $(PKG),./...)

fmt: $(BIN)/tools/golangci-lint ## format the tree (gofumpt, grouped imports)
	$< fmt ./...

generate: ## write message types and references from their sources
	$(GO) generate ./...

generate-check: ## fail when a generated file is not what its source says
	@scripts/generate-check.sh

tidy-check: ## fail when go.mod lists too much or too little
	$(GO) mod tidy -diff
	$(GO) mod verify
