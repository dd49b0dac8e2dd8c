CARGO ?= cargo

.DEFAULT_GOAL := help
.PHONY: help demo test bench lint

help:
	@echo "make demo    check the recorded gem5 traces in fixtures/traces and print a table"
	@echo "make test    run every test, those in the documentation too"
	@echo "make lint    formatting, clippy and documentation, warnings are errors"
	@echo "make bench   measure speed (criterion)"

# A violation among the traces is what the demo is to show, so status 1 is success here.
demo:
	$(CARGO) build --release --quiet --package cli
	@target=$${CARGO_TARGET_DIR:-target}; status=0; \
	"$$target/release/rubric" check --model sc,tso,pso fixtures/traces/*.gz || status=$$?; \
	[ $$status -eq 0 ] || [ $$status -eq 1 ]

# Some tests need data that is not part of this repository; where it is absent they are ignored.
shared := $(wildcard ../shared/DESIGN.md)
test:
	$(CARGO) test --workspace --no-fail-fast $(if $(shared),-- --include-ignored)

bench:
	$(CARGO) bench --workspace

lint:
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps
