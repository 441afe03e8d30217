# Every goal sets up what it needs; on Debian and Ubuntu that is libpcap-dev and zlib1g-dev, on top of Swift, git and
# make.

PREFIX ?= /usr/local
T ?= 60
SWIFT ?= swift
SUDO = $(shell [ "$$(id -u)" = 0 ] || echo sudo)
APNSCOPE = .build/release/apnscope
FUZZ = framing streams causes outputs dialogue text packets reassembly files lines filter redact mutate minimize slow

help: ## these lines
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1	\2/p' Makefile | expand -t 20

deps:
	@[ "$$(uname)" = Darwin ] && exit 0; \
	has() { for dir in /usr/include /usr/local/include; do [ -e $$dir/$$1 ] && return 0; done; return 1; }; \
	has pcap/pcap.h && has zlib.h && exit 0; \
	echo "Installing libpcap-dev, which reads captures, and zlib1g-dev, which unpacks them."; \
	$(SUDO) apt-get update -qq && $(SUDO) apt-get install -y -qq libpcap-dev zlib1g-dev

build: deps ## the command, release
	$(SWIFT) build -c release --product apnscope

demo: build ## builds, then dissects a paste, a file of raw bytes and a capture
	@echo; echo "# Hex text, as pasted: what is wrong with it stands under the bytes"
	$(APNSCOPE) samples/malformed/item-overrun.hex || true
	@echo; echo "# Raw bytes from a pipe, a line for each frame"
	$(APNSCOPE) -T ndjson samples/frames/three-commands.hex | $(APNSCOPE) encode -T raw | $(APNSCOPE) -T line
	@echo; echo "# A capture, segments swapped and repeated"
	$(APNSCOPE) samples/captures/swapped-and-repeated.pcap

test: deps ## all tests
	$(SWIFT) build -c release --build-tests --explicit-target-dependency-import-check error
	$(SWIFT) test -c release --skip-build

# A debug build prints the same, and rewrites them the same way.
golden: deps ## rewrites expected outputs; read the difference before you commit it
	$(SWIFT) build -c release --build-tests
	APNSCOPE_GOLDEN=write $(SWIFT) test -c release --skip-build --filter 'TranscriptTests|ReadmeTests'
	git diff --stat -- samples README.md

# SwiftPM passes one -sanitize for each sanitizer, of which the compiler uses the last alone: without the fuzzer's there is
# no coverage, and libFuzzer finds nothing. It warns then, which fails here.
# libFuzzer searches elsewhere each time, whatever its seed: what must not fail by chance takes T=0, which searches nothing.
fuzz: deps ## readers, laws, outputs, slow inputs under libFuzzer, T seconds each (0: samples only); crashers go to samples/crashers
	$(SWIFT) build -c release --sanitize fuzzer -Xswiftc -sanitize=fuzzer,address -Xswiftc -DFUZZING \
	  --scratch-path .build-fuzz --product apnscope-fuzz
	@rm -rf .build-fuzz/seeds; mkdir -p .build-fuzz/seeds && cp --backup=numbered samples/peers/*/*.bin samples/malformed/zoo/*.bin samples/text/*.txt \
	  samples/captures/*.pcap* samples/dialogue/*.pcap samples/transcripts/*.golden .build-fuzz/seeds; \
	for target in $(FUZZ); do \
	  mkdir -p .build-fuzz/corpus/$$target; seeds=.build-fuzz/seeds; \
	  if [ $$target = slow ]; then seeds=Tests/Fuzz/slow; fi; \
	  TARGET=$$target SWIFT_BACKTRACE=enable=no ASAN_OPTIONS=detect_leaks=0:malloc_context_size=0 \
	    .build-fuzz/release/apnscope-fuzz \
	    $(if $(filter 0,$(T)),-runs=0,-max_total_time=$(T)) -timeout=30 -rss_limit_mb=2048 -max_len=4096 -print_final_stats=1 \
	    -dict=Tests/Fuzz/dictionary.txt -artifact_prefix=samples/crashers/$$target- \
	    .build-fuzz/corpus/$$target $$seeds > .build-fuzz/log 2>&1 || { cat .build-fuzz/log; exit 1; }; \
	  ! grep 'no interesting inputs' .build-fuzz/log || exit 1; \
	  awk -v target=$$target '/ cov: / { for (i = 2; i < NF; i++) if ($$i == "cov:") cov = $$(i + 1); else if ($$i == "corp:") corpus = $$(i + 1) } \
	    /number_of_executed_units/ { runs = $$2 } /average_exec_per_sec/ { rate = $$2 } \
	    END { printf "%-10s %8d executions, %6d a second, coverage %5d, corpus %s\n", target, runs, rate, cov, corpus }' .build-fuzz/log; \
	done

bench: deps ## us beside every yardstick that is installed, as ratios; FRAMES, ROUNDS, GROWTH=10000000, WRITE=file
	$(SWIFT) build -c release --product apnscope-bench
	$(SWIFT) build -c release --product apnscope --static-swift-stdlib --scratch-path .build-static
	.build/release/apnscope-bench micro $(if $(FRAMES),$(FRAMES),100000)
	python3 Tests/Bench/compare.py $(if $(FRAMES),--frames $(FRAMES)) $(if $(ROUNDS),--rounds $(ROUNDS)) \
	  $(if $(GROWTH),--growth $(GROWTH)) $(if $(WRITE),--write $(WRITE))

mutator: ## libapnscope-mutator.so, which gives libFuzzer and AFL++ frames that lie
	$(SWIFT) build -c release --product apnscope-mutator --scratch-path .build-mutator
	@ls .build-mutator/release/libapnscope-mutator.*

lint: ## formatting, as the formatter wants it
	$(SWIFT) format lint --strict --recursive Package.swift Sources Tests

install: deps ## the command, its manual pages and completions, under PREFIX
	$(SWIFT) build -c release --product apnscope --static-swift-stdlib --scratch-path .build-static
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/man/man1
	install -m 755 .build-static/release/apnscope $(DESTDIR)$(PREFIX)/bin/apnscope
	@mkdir -p .build-manual/man
	$(SWIFT) package --scratch-path .build-manual --allow-writing-to-package-directory generate-manual --multi-page \
	  --output-directory .build-manual/man
	install -m 644 .build-manual/man/*.1 $(DESTDIR)$(PREFIX)/share/man/man1/
	install -d $(DESTDIR)$(PREFIX)/share/bash-completion/completions $(DESTDIR)$(PREFIX)/share/zsh/site-functions \
	  $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d
	.build-static/release/apnscope --generate-completion-script bash \
	  > $(DESTDIR)$(PREFIX)/share/bash-completion/completions/apnscope
	.build-static/release/apnscope --generate-completion-script zsh \
	  > $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_apnscope
	.build-static/release/apnscope --generate-completion-script fish \
	  > $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/apnscope.fish

clean: ## everything that was built
	rm -rf .build .build-*

.PHONY: help deps build demo test golden fuzz mutator bench lint install clean
