# mpiete: `make demo` and `make test` do all the set-up on a fresh Debian or Ubuntu machine with Rust.
#
#   make demo       predicts CG, problem class W, on 16 ranks over Fast Ethernet
#   make test       every test; installs gfortran and MPICH if they are missing
#   make test-all   the same, what takes long, and every other target in a short form
#   make soak       10,000 random programs, sliced and whole, and 1,000 whose statements are counted; SEEDS=first..last and
#                   COUNTED=first..last for others
#   make miri       the token runtime's kernel under Miri, some minutes; skipped without a nightly Rust with Miri
#   make testbed    measures how exact the network of the real MPI runs is (needs root)
#   make accuracy   accuracy of the predictions, docs/results/accuracy.md; ONLY=table for one, SHORT=1 for the smallest case of each, without
#                   changing the page
#   make bench      every figure of the project, NAME VALUE UNIT a line; ONLY=prefix for some
#   make bench-large  the figures that take minutes and gigabytes: an estimate of a million ranks
#   make frontend-table   what the frontend reads of the fixtures, and of an NPB tree in NPB_DIR: docs/results/coverage.md
#   make real-codes predictions of codes in the folder CODES, docs/results/real-codes.md; ONLY=name for one, SHORT=1 for a program of
#                   the fixtures, without changing the page
#   make build      the program and its MPI library, in target/release
#   make dist       a tarball that runs on any Linux on x86-64 with GLIBC 2.17 or later, in target
#   make dist-test  the tarball on an old Linux without Rust, and back (needs root)
#   make lint       formatting and clippy, as CI runs them

CARGO ?= cargo
MPIETE := target/release/mpiete
XTASK := $(CARGO) run --release --quiet -p xtask --no-default-features --
CG := npb-fixtures/programs/cg
ONLY ?=
SEEDS ?= 0..10000
COUNTED ?= 0..1000
SHORT ?=
CODES ?=
MIRI_TESTS ?= kernel::
SIDE ?= 1024

# The tests read SEEDS from the environment, where make would put it for all of a target's commands.
unexport SEEDS COUNTED

.PHONY: setup setup-test build demo test test-all soak miri testbed sweep-mpi-test testbed-test accuracy bench bench-large frontend-table real-codes dist dist-test short-forms lint clean

setup:
	@./setup gfortran

setup-test:
	@./setup gfortran mpich fparser

build:
	$(CARGO) build --release -p cli -p mpiete-mpi -p mpiete-observer
	@ln -sf mpiete target/release/mpiete-fc && ln -sf mpiete target/release/mpiete-cc

demo: setup build
	@rm -rf target/demo && mkdir -p target/demo/work
	@$(MPIETE) predict $(CG) -I $(CG)/class-W -n 16 --platform fast-ethernet \
	    --workdir target/demo/work -o target/demo/cg-W

lint:
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets --quiet -- -D warnings

# The tool that counts tests is built with all else: its release build would compile every package twice.
test: setup-test lint
	$(CARGO) build --workspace --all-targets --quiet
	@target/debug/xtask test $(CARGO) test --workspace --quiet --no-fail-fast

# What takes long is optimised, and with it the MPI library that the tests' programs use; `test` has run all else. Random programs
# and broken rules are tests of `soak`, of which the short forms run a part.
test-all: test
	@./setup mpich-sock
	$(CARGO) build --release --workspace --lib --bins --tests --quiet
	@target/debug/xtask test $(CARGO) test --release --workspace --lib --bins --tests --quiet --no-fail-fast -- \
	    --ignored --skip soak --skip every_broken_rule
	@$(MAKE) --no-print-directory sweep-mpi-test
	@$(MAKE) --no-print-directory testbed-test
	@$(MAKE) --no-print-directory short-forms

# Every target that is no test itself, with as little as shows that it works.
short-forms: demo frontend-table
	@$(MAKE) --no-print-directory soak SEEDS=200..250 COUNTED=30..60
	@$(MAKE) --no-print-directory miri MIRI_TESTS=kernel::slot::
	@LAUNCHES=1 $(MAKE) --no-print-directory testbed
	@$(MAKE) --no-print-directory accuracy SHORT=1
	@$(MAKE) --no-print-directory accuracy SHORT=1 ONLY=communication
	@$(MAKE) --no-print-directory real-codes SHORT=1
	@$(MAKE) --no-print-directory bench ONLY=slice.cg_kept
	@$(MAKE) --no-print-directory bench-large SIDE=64
	@$(MAKE) --no-print-directory dist-test

# Goes through all seeds, prints the smallest form of each program that fails, and says at its end how many there were.
# With --workspace, features are those of the test builds: with another set of packages, cargo would compile all again.
soak: setup build
	SEEDS=$(SEEDS) $(CARGO) test --release --workspace --test random --quiet -- --exact soak --ignored --nocapture
	$(CARGO) test --release --workspace --test random --quiet -- --ignored --nocapture every_broken_rule
	SEEDS=$(COUNTED) $(CARGO) test --release --workspace --test computing --quiet -- --exact soak --ignored --nocapture

# One case of each property: what Miri looks for depends on the code that runs, not on many values.
miri:
	@if ! $(CARGO) +nightly miri --version >/dev/null 2>&1; then echo "miri: skipped: there is no nightly Rust with Miri"; exit 0; fi; \
	PROPTEST_CASES=1 MIRIFLAGS=-Zmiri-disable-isolation \
	    $(CARGO) +nightly miri test -p token-runtime --target-dir target/miri --lib $(MIRI_TESTS)

# The feature `mpi`, in a target folder of its own: no other build is ever linked with an MPI library.
sweep-mpi-test:
	@./setup mpich libclang
	$(CARGO) build -p mpiete-mpi --target-dir target/mpi --quiet
	MPICC=mpicc.mpich $(CARGO) test -p cli --features mpi --target-dir target/mpi --quiet sweep

testbed:
	@testbed/figures

testbed-test:
	@testbed/test/all

# The table of communication is measured on the testbed, as root; `make accuracy` without ONLY leaves it out.
accuracy: setup-test build
ifeq ($(ONLY),communication)
	@testbed/possible; status=$$?; [ $$status != 77 ] || exit 0; [ $$status = 0 ] || exit $$status; \
	$(MAKE) --no-print-directory -C testbed && \
	    testbed/communication-page $(if $(SHORT),--short) $(if $(NPB_DIR),--npb $(NPB_DIR))
else
	@$(XTASK) accuracy $(if $(SHORT),--short) $(ONLY)
endif

bench: setup build
	@$(CARGO) build --release --workspace --examples --quiet
	@$(XTASK) bench $(ONLY)

bench-large:
	@$(CARGO) build --release --workspace --examples --quiet
	@target/release/examples/million_ranks 0 $(SIDE)

real-codes: setup-test build
	@$(XTASK) real-codes $(if $(SHORT),--short,--only '$(ONLY)' $(CODES))

dist: setup
	@./setup zigbuild
	@release/tarball

dist-test: dist
	@release/test

frontend-table: setup build
	@$(XTASK) frontend-table

clean:
	$(CARGO) clean
