# Every target is what CI runs too.
GO      ?= go
BIN     := bin
DATA    ?=
FUZZTIME ?= 10s
FUZZ    ?= .

.PHONY: build demo test race short fuzz bench eval lint generate clean

build: ## the four commands, into bin/
	$(GO) build -trimpath -o $(BIN)/ ./cmd/...

demo: ## the main job on embedded defaults, in a temporary directory
	$(GO) build -trimpath -o $(BIN)/siltstone ./cmd/siltstone
	$(BIN)/siltstone demo

test: ## everything, but the tests of separate real servers that are not there
	$(GO) vet ./...
	$(GO) test ./...

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

bench: ## rates and latencies, each beside its reference in the same run
	$(GO) run ./bench

lint: ## what the compiler does not see
	$(GO) vet ./...
	test -z "$$(gofmt -l .)"
	$(GO) tool staticcheck ./...

generate: ## files made from code; tests fail where they drift
	$(GO) run ./tools/generate

clean:
	rm -rf $(BIN)
