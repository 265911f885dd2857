# The commands a newcomer types; CMakePresets.json holds the builds themselves.
PRESET ?= release
BUILD := build/$(PRESET)
OGNN := $(BUILD)/bin/ognn
JOBS ?= $(shell nproc)

.PHONY: demo test test-deps test-cuda bench results images format format-check install-deps build clean help

help:
	@echo 'make demo          build, train three models on two graphs, write a page'
	@echo 'make test          build and run the tests (OGNN_DATA=DIR adds the real data)'
	@echo 'make test-cuda     build with CUDA and run the tests labelled cuda'
	@echo 'make bench         build and run the micro benchmarks'
	@echo 'make results       write docs/results.md from the result files in docs/results'
	@echo 'make images        write the pictures of the README'
	@echo 'make format        rewrite the sources in the house format'
	@echo 'make install-deps  install the Debian packages that are missing'

install-deps:
	@scripts/install-deps

build: install-deps
	@mkdir -p build
	@cmake --preset $(PRESET) $(CMAKE_ARGS) > $(BUILD).log 2>&1 \
	  || { cat $(BUILD).log; exit 1; }
	cmake --build --preset $(PRESET) -j $(JOBS)

demo: build
	$(OGNN) demo --out demo-out

test-deps:
	@scripts/install-deps browser

test: build test-deps
	ctest --preset $(PRESET) -j $(JOBS)
	@tests/summary $(BUILD)

# Not by install-deps: a CUDA LibTorch is no Debian package.
test-cuda:
	scripts/cuda-check build
	OGNN_REQUIRE_CUDA=1 ctest --preset cuda -L cuda

bench:
	$(MAKE) build CMAKE_ARGS=-DORDERED_GNN_BUILD_BENCHMARKS=ON
	$(BUILD)/bin/ordered_gnn_bench

results: build
	$(OGNN) reproduce report --from docs/results/files --out docs/results.md

# Pictures of the README, from the runs that 'make demo' makes.
IMAGES = demo-accuracy demo-hops gates confusion smoothing
images: demo
	@mkdir -p docs/images
	cp $(IMAGES:%=demo-out/plots/%.svg) docs/images

SOURCES = $(shell git ls-files '*.h' '*.cpp' '*.cu' '*.cuh')

format:
	clang-format -i $(SOURCES)

format-check:
	@clang-format --dry-run -Werror $(SOURCES)

clean:
	rm -rf build demo-out
