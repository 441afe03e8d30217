# `make demo` and `make test` install the C libraries that are missing; the other goals only name them.

PREFIX ?= /usr/local
T ?= 60
SWIFT ?= swift
SUDO = $(shell [ "$$(id -u)" = 0 ] || echo sudo)
APNSCOPE = .build/release/apnscope
# A debug build takes half the time, and shows the same. Its folder is another, so that release builds run beside it.
DEBUG = .build-debug
DEMO = $(DEBUG)/debug/apnscope

# The compiler that comes with Swift is asked for each header, so that it does not matter where headers are.
CLANG = $(firstword $(wildcard $(dir $(realpath $(shell command -v $(SWIFT))))clang) clang)
lacks = $(shell $(CLANG) -E -x c /dev/null > /dev/null 2>&1 || exit; \
  $(CLANG) -E -include $(1) -x c /dev/null > /dev/null 2>&1 || echo $(2))
MISSING = $(strip $(call lacks,pcap/pcap.h,libpcap-dev) $(call lacks,zlib.h,zlib1g-dev))

help: ## these lines
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1	\2/p' Makefile | expand -t 20

deps: ## installs the C libraries that are missing: libpcap captures and filters, zlib unpacks captures
	@for package in $(MISSING); do \
	  command -v apt-get > /dev/null || { echo "install the package of this system for $$package" >&2; exit 1; }; \
	  echo "installing $$package with apt-get"; \
	  $(SUDO) apt-get update -qq && $(SUDO) apt-get install -y -qq $$package || exit 1; \
	done

check: # fails if a C library is missing
	@[ -z "$(MISSING)" ] || { echo "missing: $(MISSING); run make deps, which installs them with apt-get" >&2; exit 1; }

build: check ## the command, release
	$(SWIFT) build -c release --product apnscope

build-bench: check
	$(SWIFT) build -c release --product apnscope-bench

# A package of its own; in the same scratch folder, so that the libraries are compiled once. Each package needs a build
# manifest of its own, so that of the root is not used.
SHARED = --disable-build-manifest-caching --scratch-path
gateway: check ## the gateway of apnscope serve, release: .build/release/apnscope-serve
	$(SWIFT) build -c release --package-path Serve $(SHARED) .build --product apnscope-serve $(TLS)

demo: deps ## builds, then dissects a paste, a file of raw bytes and a capture
	$(SWIFT) build --scratch-path $(DEBUG) --product apnscope
	@echo; echo "# Hex text, as pasted: errors are marked under the bytes"
	$(DEMO) samples/malformed/item-overrun.hex || true
	@echo; echo "# Raw bytes from a pipe, a line for each frame"
	$(DEMO) -T ndjson samples/frames/three-commands.hex | $(DEMO) encode -T raw | $(DEMO) -T line
	@echo; echo "# A capture with segments swapped and repeated"
	$(DEMO) samples/captures/swapped-and-repeated.pcap

test: deps ## all tests
	@Tests/run

quick: check ## the fast tests: less than a minute
	@APNSCOPE_TESTS=quick Tests/run

# A debug build prints the same, and rewrites them the same way.
golden: check ## rewrites expected outputs and the guide's; read the difference before you commit it
	$(SWIFT) build -c release --build-tests
	APNSCOPE_GOLDEN=write $(SWIFT) test -c release --skip-build --filter 'TranscriptTests|ReadmeTests|NameTests'
	git diff --stat -- samples docs README.md

# SwiftPM passes one -sanitize for each sanitizer, of which the compiler uses the last alone: without the fuzzer's there is
# no coverage, and libFuzzer finds nothing. It warns then, which fails here.
fuzz: check seeds ## readers, laws, outputs, slow inputs under libFuzzer, T seconds each; crashers go to samples/crashers
	$(SWIFT) build -c release --sanitize fuzzer -Xswiftc -sanitize=fuzzer,address -Xswiftc -DFUZZING \
	  --scratch-path .build-fuzz --product apnscope-fuzz
	@targets=$$(TARGET=list .build-fuzz/release/apnscope-fuzz 2> /dev/null); \
	[ -n "$$targets" ] || { echo "apnscope-fuzz names no targets" >&2; exit 1; }; \
	for target in $$targets; do \
	  mkdir -p .build-fuzz/corpus/$$target; seeds=.build-fuzz/seeds; \
	  if [ $$target = slow ]; then seeds=Tests/Fuzz/slow; fi; \
	  TARGET=$$target SWIFT_BACKTRACE=enable=no ASAN_OPTIONS=detect_leaks=0:malloc_context_size=0 \
	    .build-fuzz/release/apnscope-fuzz \
	    -max_total_time=$(T) -timeout=30 -rss_limit_mb=2048 -max_len=4096 -print_final_stats=1 \
	    -dict=Tests/Fuzz/dictionary.txt -artifact_prefix=samples/crashers/$$target- \
	    .build-fuzz/corpus/$$target $$seeds > .build-fuzz/log 2>&1 || { cat .build-fuzz/log; exit 1; }; \
	  ! grep 'no interesting inputs' .build-fuzz/log || exit 1; \
	  awk -v target=$$target '/ cov: / { for (i = 2; i < NF; i++) if ($$i == "cov:") cov = $$(i + 1); else if ($$i == "corp:") corpus = $$(i + 1) } \
	    /number_of_executed_units/ { runs = $$2 } /average_exec_per_sec/ { rate = $$2 } \
	    END { printf "%-10s %8d executions, %6d a second, coverage %5d, corpus %s\n", target, runs, rate, cov, corpus }' .build-fuzz/log; \
	done

# libFuzzer searches elsewhere each time, whatever its seed; this fails for no chance, and in a build that tests made.
# SHARE=n takes every n-th sample, and others with another APNSCOPE_SEED.
SHARE ?= 1
replay: check seeds ## the samples through each fuzz target, without a search
	$(SWIFT) build -c release --product apnscope-fuzz
	@targets=$$(TARGET=list .build/release/apnscope-fuzz); \
	[ -n "$$targets" ] || { echo "apnscope-fuzz names no targets" >&2; exit 1; }; \
	printf '%s\n' $$targets | xargs -P "$$(nproc)" -I {} sh -c 'case {} in slow) seeds=Tests/Fuzz/slow;; \
	  *) seeds=.build-fuzz/seeds;; esac; TARGET={} .build/release/apnscope-fuzz \
	  $$(ls -d $$seeds/* | awk -v seed=$${APNSCOPE_SEED:-0} "(NR + seed) % $(SHARE) == 0")'

seeds:
	@rm -rf .build-fuzz/seeds; mkdir -p .build-fuzz/seeds && cp --backup=numbered samples/peers/*/*.bin samples/malformed/zoo/*.bin samples/text/*.txt \
	  samples/captures/*.pcap* samples/dialogue/*.pcap samples/transcripts/*.golden .build-fuzz/seeds

bench: check ## us beside every yardstick that is installed, as ratios; FRAMES, ROUNDS, GROWTH=10000000, WRITE=file
	@$(MAKE) build build-bench
	.build/release/apnscope-bench micro $(if $(FRAMES),$(FRAMES),100000)
	python3 Tests/Bench/compare.py $(if $(FRAMES),--frames $(FRAMES)) $(if $(ROUNDS),--rounds $(ROUNDS)) \
	  $(if $(GROWTH),--growth $(GROWTH)) $(if $(WRITE),--write $(WRITE))

mutator: ## libapnscope-mutator.so, which gives libFuzzer frames that lie
	$(SWIFT) build -c release --product apnscope-mutator --scratch-path .build-mutator
	@ls .build-mutator/release/libapnscope-mutator.*

# A warning is an error, so that no link leads nowhere. Modules that the tests were built with are used again.
DOCUMENTED = $(basename $(notdir $(wildcard Sources/*/*.docc)))

doc: check ## the libraries' documentation, for a browser: python3 -m http.server -d .build-doc/apnscope.doccarchive
	@mkdir -p .build-doc
	APNSCOPE_DOC=1 $(SWIFT) package -c release --allow-writing-to-directory .build-doc generate-documentation \
	  $(DOCUMENTED:%=--target %) --enable-experimental-combined-documentation --warnings-as-errors \
	  --output-path .build-doc/apnscope.doccarchive

lint: ## formatting, as the formatter wants it
	$(SWIFT) format lint --strict --recursive Package.swift Sources Tests Serve

SHARE = $(DESTDIR)$(PREFIX)/share

install: build gateway ## both commands, which need no Swift to run, their manual pages and completions, under PREFIX
	install -d $(DESTDIR)$(PREFIX)/bin $(SHARE)/bash-completion/completions $(SHARE)/zsh/site-functions $(SHARE)/fish/vendor_completions.d
	install -m 755 .build/release/apnscope .build/release/apnscope-serve $(DESTDIR)$(PREFIX)/bin
	packaging/manual .build/release $(SHARE)/man
	for name in apnscope apnscope-serve; do \
	  command=.build/release/$$name; \
	  $$command --generate-completion-script bash > $(SHARE)/bash-completion/completions/$$name && \
	  $$command --generate-completion-script zsh > $(SHARE)/zsh/site-functions/_$$name && \
	  $$command --generate-completion-script fish > $(SHARE)/fish/vendor_completions.d/$$name.fish || exit 1; \
	done

deb: check ## a Debian package of both commands, in .build-deb
	@packaging/deb

clean: ## everything that was built
	rm -rf .build .build-*

.PHONY: help deps check build build-bench gateway demo test quick golden fuzz replay seeds mutator bench doc lint install deb clean
