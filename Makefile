# The commands a newcomer types; CMakePresets.json holds the builds themselves.
PRESET ?= release
BUILD := build/$(PRESET)
OGNN := $(BUILD)/bin/ognn
JOBS ?= $(shell nproc)

.PHONY: demo test test-deps test-cuda cuda-link asan tsan coverage fuzz faults \
	kill-storm mutations bench results docs images format format-check tidy \
	python wheel install-deps configure command build clean help

help:
	@echo 'make demo          build, train three models on two graphs, write a page'
	@echo 'make test          build and run the tests (OGNN_DATA=DIR adds the real data)'
	@echo 'make test-cuda     build with CUDA and run the tests labelled cuda'
	@echo 'make asan          tests under the address and undefined-behaviour sanitizers'
	@echo 'make tsan          tests of threads under the thread sanitizer'
	@echo 'make coverage      lines and branches that the tests reach, room by room'
	@echo 'make fuzz          damage files at random, SECONDS=600 for every reader'
	@echo 'make faults        let every file call and large allocation fail once'
	@echo 'make kill-storm    kill commands at random and let them go on, ROUNDS=1000'
	@echo 'make mutations     read damaged files of every kind, CASES=20000'
	@echo 'make python        build the Python package into build/release/python'
	@echo 'make wheel         the same as a wheel in build/wheels'
	@echo 'make bench         build and run the micro benchmarks'
	@echo 'make results       write docs/results.md from the result files in docs/results'
	@echo 'make docs          write docs/models.md from the table of models'
	@echo 'make images        write the pictures of the README'
	@echo 'make format        rewrite the sources in the house format'
	@echo 'make tidy          clang-tidy over all sources'
	@echo 'make install-deps  install the Debian packages that are missing'

install-deps:
	@scripts/stage packages scripts/install-deps

configure: install-deps
	@mkdir -p build
	@scripts/stage configure cmake --preset $(PRESET) $(CMAKE_ARGS) \
	  > $(BUILD).log 2>&1 || { cat $(BUILD).log; exit 1; }
	@tail -n 1 $(BUILD).log

# The command and what it needs, without the tests.
command: configure
	@scripts/stage build cmake --build --preset $(PRESET) -j $(JOBS) \
	  --target ordered_gnn_cli

build: configure
	@scripts/stage build cmake --build --preset $(PRESET) -j $(JOBS)

demo: command
	@scripts/stage training $(OGNN) demo --out demo-out

test-deps:
	@scripts/install-deps browser

test: build test-deps
	@scripts/stage tests ctest --preset $(PRESET) -j $(JOBS)
	@tests/summary $(BUILD)

# Not by install-deps: a CUDA LibTorch is no Debian package.
test-cuda:
	scripts/cuda-check build
	OGNN_REQUIRE_CUDA=1 ctest --preset cuda -L cuda

# What a machine without a GPU can prove of the kernels.
cuda-link:
	@mkdir -p build
	@cmake --preset cuda $(CMAKE_ARGS) > build/cuda.log 2>&1 \
	  || { cat build/cuda.log; exit 1; }
	cmake --build --preset cuda -j $(JOBS) --target ordered_gnn_cuda_link

asan: install-deps
	@scripts/install-deps checks
	@scripts/asan

tsan: install-deps
	@scripts/install-deps checks
	@scripts/tsan

coverage: install-deps test-deps
	@scripts/install-deps coverage
	@scripts/coverage

SECONDS ?= 600
fuzz:
	@scripts/install-deps checks
	@scripts/asan fuzz
	tests/fuzz/run $(SECONDS)

faults: command
	cmake --build --preset $(PRESET) -j $(JOBS) --target ordered_gnn_faults
	tests/faults/run --jobs $(JOBS) $(OGNN)

ROUNDS ?= 1000
kill-storm: command
	tests/kill_storm $(ROUNDS) --jobs $(JOBS) $(OGNN)

CASES ?= 20000
mutations: configure
	cmake --build --preset $(PRESET) -j $(JOBS) --target ordered_gnn_mutations
	$(BUILD)/bin/ordered_gnn_mutations $(CASES) --jobs $(JOBS)

# For the Python that PYTHON names and the PyTorch it imports.
PYTHON ?= /usr/bin/python3
python: install-deps
	@scripts/install-deps python
	@mkdir -p build
	@scripts/stage configure cmake --preset $(PRESET) $(CMAKE_ARGS) \
	  -DORDERED_GNN_PYTHON=ON -DPython3_EXECUTABLE=$(PYTHON) \
	  > $(BUILD).log 2>&1 || { cat $(BUILD).log; exit 1; }
	@scripts/stage build cmake --build --preset $(PRESET) -j $(JOBS) \
	  --target ordered_gnn_package

wheel: python
	ORDERED_GNN_BUILD_DIR=$(BUILD) $(PYTHON) -m pip wheel --no-index --no-deps \
	  --wheel-dir build/wheels .

bench:
	$(MAKE) build CMAKE_ARGS=-DORDERED_GNN_BUILD_BENCHMARKS=ON
	$(BUILD)/bin/ordered_gnn_bench

results: command
	$(OGNN) reproduce report --from docs/results/files --out docs/results.md

docs: command
	$(OGNN) models --markdown > docs/models.md

# Pictures of the README, from the runs that 'make demo' makes, and of a page.
IMAGES = demo-accuracy demo-hops gates confusion smoothing
images: demo
	@mkdir -p docs/images
	cp $(IMAGES:%=demo-out/plots/%.svg) docs/images
	scripts/page-image $(OGNN) docs/images/page.png

SOURCES = $(shell git ls-files '*.h' '*.cpp' '*.cu' '*.cuh')

format:
	clang-format -i $(SOURCES)

format-check:
	@clang-format --dry-run -Werror $(SOURCES)

tidy:
	@scripts/install-deps checks
	@scripts/tidy

clean:
	rm -rf build demo-out
