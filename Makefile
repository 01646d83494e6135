# mpiete: `make demo` and `make test` do all the set-up on a fresh Debian or Ubuntu machine with Rust.
#
#   make demo       how long would CG, problem class W, take on 16 ranks over Fast Ethernet?
#   make test       every test; installs gfortran and MPICH if they are missing
#   make test-all   the same and what takes long
#   make soak       10,000 random programs, sliced and whole, and 1,000 whose statements are counted; SEEDS=first..last and
#                   COUNTED=first..last for others
#   make miri       the token runtime's kernel under Miri, some minutes; needs a nightly Rust with Miri
#   make testbed    how exact is the network of real MPI runs that predictions are compared with? (needs root)
#   make accuracy   how far off are the predictions? docs/accuracy.md; ONLY=table for one
#   make bench      every figure of the project, NAME VALUE UNIT a line; ONLY=prefix for some
#   make bench-large  the figures that take minutes and gigabytes: an estimate of a million ranks
#   make frontend-table   what the frontend reads of the fixtures, and of an NPB tree in NPB_DIR: docs/frontend.md
#   make build      the program and its MPI library, in target/release
#   make lint       formatting and clippy, as CI runs them

CARGO ?= cargo
MPIETE := target/release/mpiete
CG := npb-fixtures/programs/cg
ONLY ?=
SEEDS ?= 0..10000
COUNTED ?= 0..1000

.PHONY: setup setup-test build demo test test-all soak miri testbed sweep-mpi-test testbed-test accuracy bench bench-large frontend-table lint clean

setup:
	@./setup gfortran

setup-test:
	@./setup gfortran mpich fparser

build:
	$(CARGO) build --release -p cli -p mpiete-mpi -p mpiete-observer --quiet
	@ln -sf mpiete target/release/mpiete-fc && ln -sf mpiete target/release/mpiete-cc

demo: setup build
	@rm -rf target/demo && mkdir -p target/demo/work
	@$(MPIETE) predict $(CG) -I $(CG)/class-W -n 16 --platform fast-ethernet \
	    --workdir target/demo/work -o target/demo/cg-W

lint:
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets --quiet -- -D warnings

test: setup-test lint
	$(CARGO) build --workspace --all-targets --quiet
	$(CARGO) test --workspace --quiet

test-all: test
	$(CARGO) build --release --workspace --all-targets --quiet
	$(CARGO) test --release --workspace --quiet -- --include-ignored
	@$(MAKE) --no-print-directory sweep-mpi-test
	@$(MAKE) --no-print-directory testbed-test

# Goes through all seeds, prints the smallest form of each program that fails, and says at its end how many there were.
soak: setup
	$(CARGO) build --release -p mpiete-mpi -p mpiete-observer --quiet
	SEEDS=$(SEEDS) $(CARGO) test --release -p cli --test random --quiet -- --exact soak --ignored --nocapture
	$(CARGO) test --release -p cli --test random --quiet -- --ignored --nocapture every_broken_rule
	SEEDS=$(COUNTED) $(CARGO) test --release -p cli --test computing --quiet -- --exact soak --ignored --nocapture

# One case of each property: what Miri looks for hangs on the code that runs, not on many values.
miri:
	PROPTEST_CASES=1 MIRIFLAGS=-Zmiri-disable-isolation \
	    $(CARGO) +nightly miri test -p token-runtime --target-dir target/miri --lib kernel::

# The feature `mpi`, in a target folder of its own: no other build is ever linked with an MPI library.
sweep-mpi-test:
	@./setup mpich libclang
	$(CARGO) build -p mpiete-mpi --target-dir target/mpi --quiet
	MPICC=mpicc.mpich $(CARGO) test -p cli --features mpi --target-dir target/mpi --quiet sweep

testbed:
	@testbed/figures

testbed-test:
	@testbed/test/all

accuracy: setup-test build
	@./accuracy $(ONLY)

bench: setup
	@$(CARGO) build --release -p cli -p mpiete-mpi -p mpiete-observer --quiet
	@$(CARGO) build --release -p estimator -p frontend -p token-runtime --examples --quiet
	@./bench $(ONLY)

bench-large:
	@$(CARGO) build --release -p estimator --examples --quiet
	@target/release/examples/million_ranks

frontend-table: setup build
	@frontend/table

clean:
	$(CARGO) clean
