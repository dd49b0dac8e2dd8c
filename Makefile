CARGO ?= cargo

.DEFAULT_GOAL := help
.PHONY: help demo campaign figures notebooks test test-program test-scale fuzz bench limits lint

help:
	@echo "make demo    run the built-in protocols with random programs and check what they did,"
	@echo "             then check the traces that gem5 recorded in fixtures/traces"
	@echo "make campaign"
	@echo "             mutants of the built-in protocols, run until something catches them (some minutes):"
	@echo "             tables in RESULTS=folder (target/campaign), and a summary"
	@echo "make figures the experiments of the papers, quick: results/*.parquet, figures/*.svg and .png and"
	@echo "             report.html (some ten minutes); SIZE=paper for hours, TIMEOUT=seconds a run"
	@echo "make notebooks"
	@echo "             execute the notebooks, on the tables in RUBRIC_RESULTS or else on quick ones:"
	@echo "             pages in target/notebooks (needs Python and its packages)"
	@echo "make test    run every test, those in the documentation, of scale/ and of the notebooks too"
	@echo "make test-scale"
	@echo "             only those of scale/, which need Python and its packages"
	@echo "make lint    formatting, clippy and documentation, warnings are errors"
	@echo "make fuzz    drive what reads input with libFuzzer (nightly compiler, cargo-fuzz): RUNS=100000 inputs a target"
	@echo "make limits  how large the hard histories of each family may be and still be decided"
	@echo "make bench   measure speed (criterion), then a table of time and memory against size, as"
	@echo "             Parquet too: RESULTS=folder (target/results), BENCH=full for the largest sizes"

# Each protocol on each kind of core, then the recorded traces. A violation among these is what the
# demo is to show, so status 1 is success there.
demo:
	$(CARGO) build --release --quiet --package cli
	@target=$${CARGO_TARGET_DIR:-target}; \
	"$$target/release/rubric" simulate all --client all --runs $(or $(RUNS),20) --check
	@echo
	@target=$${CARGO_TARGET_DIR:-target}; status=0; \
	"$$target/release/rubric" check --model sc,tso,pso fixtures/traces/*.gz || status=$$?; \
	[ $$status -eq 0 ] || [ $$status -eq 1 ]

# It goes on where it stopped. If the tables are to be made anew, remove the folder.
campaign:
	$(CARGO) build --release --quiet --package cli
	@target=$${CARGO_TARGET_DIR:-target}; \
	"$$target/release/rubric" campaign all --sample 400 --client in-order,store-buffer,early \
		--runs 150 --budget 5m -o "$(or $(RESULTS),$$target/campaign)"

# It goes on where it stopped, too.
figures:
	$(CARGO) build --release --quiet --package cli
	@target=$${CARGO_TARGET_DIR:-target}; \
	"$$target/release/rubric" experiment all --size $(or $(SIZE),quick) --timeout $(or $(TIMEOUT),3) -o results && \
	"$$target/release/rubric" report results -o report.html --figures figures --claims results/claims.csv

# With the program in RUBRIC_BIN if that is set. Stored notebooks stay as they are.
notebooks: $(if $(RUBRIC_BIN),,test-program)
	@target=$${CARGO_TARGET_DIR:-target}; \
	notebooks/test.sh "$${RUBRIC_BIN:-$$target/debug/rubric}" "$$target/notebooks-venv" "$$target/notebooks"

# Some tests need data that is not part of this repository; where it is absent they are ignored.
shared := $(wildcard ../shared/DESIGN.md)
test:
	@status=0; \
	$(CARGO) test --workspace --no-fail-fast $(if $(shared),-- --include-ignored) || status=$$?; \
	$(MAKE) --no-print-directory test-scale || status=$$?; \
	$(MAKE) --no-print-directory notebooks || status=$$?; \
	exit $$status

# The program as for the other tests: by itself it would need its dependencies with other features.
test-program:
	$(CARGO) test --workspace --no-run --quiet

test-scale: test-program
	@target=$${CARGO_TARGET_DIR:-target}; scale/test.sh "$$target/debug/rubric" "$$target/scale-venv"

# A short, deterministic run of the same targets is part of the tests.
fuzz:
	fuzz/run.sh $(or $(RUNS),100000)

# The table is measured last, when nothing else runs.
bench:
	$(CARGO) bench --package ingest --package check --package simulate
	RUBRIC_BENCH=$(BENCH) $(if $(RESULTS),RUBRIC_RESULTS=$(abspath $(RESULTS))) \
		$(CARGO) bench --package cli --bench growth

limits:
	$(CARGO) bench --package cli --bench limits

lint:
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps
