##@ Measure SLAM
.PHONY: slam-bench

slam-bench: ## accuracy and speed on real logs as a table, maps in bin/slam; SLAM_DATA=folder SLAM_LOGS=intel SLAM_VARIANTS=all
	$(GO) run ./cmd/slambench -dir $(or $(SLAM_DATA),../shared/data/slam) -out $(BIN)/slam \
	  $(if $(SLAM_LOGS),-logs $(SLAM_LOGS)) -variants $(or $(SLAM_VARIANTS),plain)
