CARGO ?= cargo

.DEFAULT_GOAL := help
.PHONY: help demo campaign figures notebooks wheel package docs test test-program test-scale test-python fuzz naive bench limits lint

help:
	@echo "make demo    run the built-in protocols with random programs and check the histories,"
	@echo "             then check the traces that gem5 recorded in fixtures/traces"
	@echo "make campaign"
	@echo "             run mutants of the built-in protocols until something finds them (some minutes):"
	@echo "             tables in RESULTS=folder (target/campaign), and a summary"
	@echo "make figures run the papers' experiments at quick size: results/*.parquet, figures/*.svg and .png and"
	@echo "             report.html (some ten minutes); SIZE=paper takes hours; TIMEOUT=seconds a run"
	@echo "make notebooks"
	@echo "             execute the notebooks, on the tables in RUBRIC_RESULTS or else on the stored ones, and compare"
	@echo "             their outputs with the stored ones (STORE=1 stores them): pages in target/notebooks"
	@echo "             (needs Python and its packages)"
	@echo "make wheel   build the Python package, test it in an empty environment, and leave it in target/wheels"
	@echo "             (needs Python from 3.10 on, and its packages)"
	@echo "make package"
	@echo "             make the packages that could be published, and build each from its own files: target/package (some ten minutes)"
	@echo "make docs    build the book, with the executed notebooks: target/book (builds mdbook in target/mdbook first, unless"
	@echo "             it is installed)"
	@echo "make test    run all tests, including those in the documentation, in scale/ and python/ and of the notebooks"
	@echo "make test-scale"
	@echo "             only the tests of scale/, which need Python and its packages"
	@echo "make test-python"
	@echo "             only the tests of the Python package, installed from a wheel of the library that the tests use"
	@echo "make lint    check formatting, clippy, documentation (warnings are errors), and that packages can be made"
	@echo "make fuzz    run the readers of input under libFuzzer (nightly compiler, cargo-fuzz): RUNS=100000 inputs a target"
	@echo "make naive   compare verdicts with those of an independent, naive checker on RUNS=200000 random histories, from SEED=1 on"
	@echo "make limits  find the largest hard history of each family that is still decided"
	@echo "make bench   measure speed (criterion), then a table of time and memory against size, as"
	@echo "             Parquet too: RESULTS=folder (target/results), BENCH=full for the largest sizes;"
	@echo "             last, simulation, campaigns, watching and reports beside the stored figures"

# Each protocol on each kind of core, then the recorded traces. Some of these are violations, which the demo is meant to
# show, so status 1 is success there.
demo:
	$(CARGO) build --release --quiet --package rubric-cli
	@target=$${CARGO_TARGET_DIR:-target}; \
	"$$target/release/rubric" simulate all --client all --runs $(or $(RUNS),20) --check
	@echo
	@target=$${CARGO_TARGET_DIR:-target}; status=0; \
	"$$target/release/rubric" check --model sc,tso,pso fixtures/traces/*.gz || status=$$?; \
	[ $$status -eq 0 ] || [ $$status -eq 1 ]

# An interrupted campaign is resumed. To make the tables anew, remove the folder.
campaign:
	$(CARGO) build --release --quiet --package rubric-cli
	@target=$${CARGO_TARGET_DIR:-target}; \
	"$$target/release/rubric" campaign all --sample 400 --client in-order,store-buffer,early \
		--runs 150 --budget 5m -o "$(or $(RESULTS),$$target/campaign)"

# Interrupted experiments are resumed. To make the tables anew, remove the folder `results`.
figures:
	$(CARGO) build --release --quiet --package rubric-cli
	@target=$${CARGO_TARGET_DIR:-target}; \
	"$$target/release/rubric" experiment all --size $(or $(SIZE),quick) --timeout $(or $(TIMEOUT),3) -o results && \
	"$$target/release/rubric" report results -o report.html --figures figures --claims results/claims.csv

# Uses the program in RUBRIC_BIN if that is set. Executes copies: the stored notebooks are changed only with STORE=1.
notebooks: $(if $(RUBRIC_BIN),,test-program)
	@target=$${CARGO_TARGET_DIR:-target}; \
	STORE="$(STORE)" notebooks/test.sh "$${RUBRIC_BIN:-$$target/debug/rubric}" "$$target/notebooks-venv" "$$target/notebooks"

wheel:
	@target=$${CARGO_TARGET_DIR:-target}; python/wheel.sh "$$target/wheels" "$$target/wheel"

# Cargo warns of tests that are left out: they read files of the repository.
package:
	$(CARGO) package --workspace --allow-dirty

# The pages of docs/ as a book, with the help of all commands as its reference, and the notebooks with their output, unless their
# packages cannot be fetched.
docs: notebooks
	$(if $(RUBRIC_BIN),,$(CARGO) build --release --quiet --package rubric-cli)
	@target=$${CARGO_TARGET_DIR:-target}; \
	docs/build.sh "$${RUBRIC_BIN:-$$target/release/rubric}" "$$target/book" "$$target/notebooks" "$$target/mdbook"

# Some tests need data that is not part of this repository. They are marked `ignored`, and run only where the data exists.
shared := $(wildcard ../shared/DESIGN.md)
test:
	@status=0; \
	$(CARGO) test --workspace --no-fail-fast $(if $(shared),-- --include-ignored) || status=$$?; \
	$(MAKE) --no-print-directory test-scale || status=$$?; \
	$(MAKE) --no-print-directory test-python || status=$$?; \
	$(MAKE) --no-print-directory notebooks || status=$$?; \
	exit $$status

# Builds the program with the same features of its dependencies as the other tests, so that nothing is compiled twice.
test-program:
	$(CARGO) test --workspace --no-run --quiet

test-scale: test-program
	@target=$${CARGO_TARGET_DIR:-target}; scale/test.sh "$$target/debug/rubric" "$$target/scale-venv"

# `cargo test --workspace` has built the compiled part of the package, of which a wheel is made. A wheel of an optimized build, as
# `make wheel` makes it, would take as long as all tests.
test-python: test-program
	@target=$${CARGO_TARGET_DIR:-target}; python/test.sh "$$target/debug/deps/lib_rubric.so" "$$target/python-venv"

# `make test` contains a short, deterministic run of the same targets.
fuzz:
	fuzz/run.sh $(or $(RUNS),100000)

# `make test` does the same with fewer runs. The tests of the crate `check` are optimised.
naive:
	RUBRIC_NAIVE_RUNS=$(or $(RUNS),200000) RUBRIC_NAIVE_SEED=$(or $(SEED),1) \
		$(CARGO) test --package rubric-check --test naive -- --nocapture --test-threads 1

# The tables of times are measured last, when nothing else runs.
bench:
	$(CARGO) bench --package rubric-ingest --package rubric-check --package rubric-papers --package rubric-simulate
	RUBRIC_BENCH=$(BENCH) $(if $(RESULTS),RUBRIC_RESULTS=$(abspath $(RESULTS))) \
		$(CARGO) bench --package rubric-cli --bench growth
	$(CARGO) bench --package rubric-cli --bench speed

limits:
	$(CARGO) bench --package rubric-cli --bench limits

# The documentation needs all crates checked. With the compiler and the arguments of `cargo clippy` it takes what that has checked, instead of
# checking every crate once more.
lint:
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets -- -D warnings
	RUSTC_WORKSPACE_WRAPPER="$$(rustc --print sysroot)/bin/clippy-driver" CLIPPY_ARGS=-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__ \
		RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps
	$(CARGO) package --workspace --no-verify --allow-dirty --offline --quiet
