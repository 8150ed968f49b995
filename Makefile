# The one door: `make help` lists what is behind it. Every target may be repeated at any time.

JOBS ?= 2
ARGS ?=
SOAK_FUZZ_S ?= 60
SOAK_SEEDS ?= 100000
KILLS ?= 500
SIMULATION = $(if $(SEEDS),--seeds $(SEEDS)) $(if $(SEED),--seed $(SEED)) $(if $(PLANTED),--planted $(PLANTED)) \
    $(if $(SHORT),--short)
# A person sees how far the build is; a log only what went wrong.
NINJA = ninja -j $(JOBS) $$(test -t 2 || echo --quiet)
CTEST = ctest --parallel $(JOBS) --output-on-failure --no-tests=error
TESTS = scripts/run-tests

MAKEFLAGS += --no-print-directory --silent
.DEFAULT_GOAL := help
.PHONY: help run test test-asan test-tsan test-gcc bench bench-sdk bench-program soak scenarios format lint clean \
    deps build-deps check simulate kills FORCE build-%

help:
	@echo 'make run [ARGS=...]      build and start the server; Ctrl-C stops it'
	@echo 'make test [AGAIN=1]      format and text checks, build, all quick tests'
	@echo 'make test-asan           the tests under address and undefined-behaviour sanitizers'
	@echo 'make test-tsan           the tests under the thread sanitizer'
	@echo 'make test-gcc            the tests built by g++'
	@echo 'make soak                long fault and twin runs, KILLS=$(KILLS) kills on every store, many seeds of the simulation,'
	@echo '                         and every fuzz target for SOAK_FUZZ_S=$(SOAK_FUZZ_S) seconds'
	@echo 'make simulate [SEEDS=n] [SEED=s] [PLANTED=name|all|list]'
	@echo '                         the whole system in virtual time, with faults, one run per seed'
	@echo 'make kills [KILLS=n]     servers killed n times under load, on every store; counts what was checked'
	@echo 'make bench BENCH=<name>  one benchmark; its figures land in build/bench/<name>.json'
	@echo 'make scenarios           which acceptance scenarios have a test'
	@echo 'make lint [LINT=all]     checks, and clang-tidy over what changed since HEAD~1'
	@echo 'make format              format all tracked C++ files'
	@echo 'make clean               remove build/ (.tools stays)'

deps:
	@scripts/install-deps.sh
	@scripts/get-luajit.sh
	@scripts/get-valkey.sh
	@scripts/get-promtool.sh

build-deps:
	@scripts/install-deps.sh --build
	@scripts/get-luajit.sh

check:
	@scripts/tidy
	@scripts/format --check

# Configuring again is ninja's business once a build folder exists; make would delete the file as one
# that only lay on the way to another.
.PRECIOUS: build/%/build.ninja
build/%/build.ninja: CMakePresets.json
	@mkdir -p build
	@cmake --preset $* >build/$*.configure.log 2>&1 || { cat build/$*.configure.log; rm -f $@; exit 1; }
	@touch $@

build-%: build/%/build.ninja
	@$(NINJA) -C build/$*

# A test's server must outlive neither the test nor Ctrl-C, which ctest passes on.
test: deps check
	@mkdir -p build
	@$(MAKE) build-debug
	@$(TESTS) debug --parallel $(JOBS)

test-asan test-tsan test-gcc: test-%: deps
	@mkdir -p build
	@$(MAKE) build-$*
	@$(TESTS) $* --parallel $(JOBS)

run: build-deps
	@mkdir -p build
	@$(MAKE) build/release/build.ninja
	@$(NINJA) -C build/release flowfabric
	@exec scripts/foreground build/release/flowfabric server $(ARGS)

bench: deps
	@test -n '$(BENCH)' || { echo 'usage: make bench BENCH=<name>; there are:' \
	    $(patsubst bench/%_bench.cc,%,$(wildcard bench/*_bench.cc)) sdk; exit 2; }
	@test '$(BENCH)' != e2e || command -v npm >/dev/null || scripts/install-deps.sh --peer
	@test '$(BENCH)' != console || scripts/get-console-packages.sh --tests
	@test '$(BENCH)' != http || command -v wrk >/dev/null || scripts/install-deps.sh --load
	@mkdir -p build/bench
	@$(MAKE) build/release/build.ninja
	@$(MAKE) $(if $(filter sdk,$(BENCH)),bench-sdk,bench-program)

# Programs in Python and Node, and their peers.
bench-sdk:
	@$(NINJA) -C build/release flowfabric
	@python3 bench/sdk/run.py build/release/flowfabric .tools/valkey/valkey-server build/bench/sdk --out build/bench/sdk.json

bench-program:
	@$(NINJA) -C build/release $(BENCH)_bench
	@program=$$(find build/release -name $(BENCH)_bench -type f | head -n 1) && \
	    exec "$$program" --out build/bench/$(BENCH).json

# The optimised program; asked for by name, so that a release build is no slower for it.
build/release/tests/simulation/simulate: build/release/build.ninja FORCE
	@$(NINJA) -C build/release simulate

simulate: build-deps
	@mkdir -p build
	@$(MAKE) build/release/tests/simulation/simulate
	@exec build/release/tests/simulation/simulate $(SIMULATION)

kills: deps
	@mkdir -p build
	@$(MAKE) build/debug/build.ninja
	@$(NINJA) -C build/debug ff_server_kill_test
	@FF_KILLS=$(KILLS) exec build/debug/tests/fault/ff_server_kill_test

soak: deps
	@mkdir -p build
	@$(MAKE) build-debug
	@cd build/debug && FF_SOAK=1 $(CTEST) -L soak
	@$(MAKE) kills
	@$(MAKE) simulate SEEDS=$(SOAK_SEEDS)
	@$(MAKE) simulate PLANTED=all
	@scripts/fuzz $(SOAK_FUZZ_S)

scenarios:
	@scripts/scenarios

format:
	@scripts/install-deps.sh
	@scripts/format

lint: deps check
	@mkdir -p build
	@$(MAKE) build-debug
	@LINT=$(LINT) JOBS=$(JOBS) scripts/lint

clean:
	@rm -rf build
