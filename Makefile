# Everything a developer, a robot or CI does with this repository. `make` alone lists it.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

GO      ?= go
BIN     := bin
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo unversioned)
LDFLAGS := -s -w -X main.version=$(VERSION)

##@ Use
.PHONY: run build sim clean help
run: build ## build bin/sarathi and start the (simulated) robot; ARGS="--profile zelpi" passes flags on
	$(BIN)/sarathi run $(ARGS)

sim: build ## run one scenario in lockstep: SCENARIO=scenarios/patrol-square.yaml SEED=7
	$(BIN)/sarathi sim --scenario $(or $(SCENARIO),scenarios/patrol-square.yaml) --seed $(or $(SEED),1) $(ARGS)

build: ## build bin/sarathi, static, stamped with the version from git
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '$(LDFLAGS)' -o $(BIN)/sarathi ./cmd/sarathi

clean: ## remove what the targets above made (bin/)
	rm -rf $(BIN)

help: ## print this list
	@awk 'BEGIN { FS = ":.*## " } \
	  /^##@ / { printf "\n%s\n", substr($$0, 5) } \
	  /^[a-z][a-z-]*:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

include scripts/test.mk scripts/quality.mk scripts/bench.mk scripts/slam.mk
