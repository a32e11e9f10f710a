# The two commands of the README: `make run` and `make test`. Everything built lies outside the checkout.

SHELL := /bin/sh
.DEFAULT_GOAL := help
.PHONY: help run test dist tools ui

CACHE := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)
export CARGO_TARGET_DIR ?= $(CACHE)/gannet/target

GANNET := $(CARGO_TARGET_DIR)/release/gannet

help:
	@echo 'make run    build gannet with its web UI and serve it on ./gannet-data'
	@echo 'make test   every suite; with CI=true a missing tool is a failure, else its suite is skipped by name'
	@echo 'make dist   an archive of the program, optimised as far as it goes'
	@echo 'Built files go to CARGO_TARGET_DIR, now $(CARGO_TARGET_DIR)'

run: tools ui
	@if [ -x '$(GANNET)' ]; then \
		echo 'Building what changed since the last run.'; \
	else \
		echo 'A first build takes up to 15 minutes on 2 cores. It needs cargo, cc and node only.'; \
	fi
	@cargo build --release --locked --package app
	@'$(GANNET)' serve

test: tools
	@cargo xtask ci

# The web UI, which the program carries.
ui: tools
	@cd ui && npm install --no-save && npm run build

# cargo says the version and the machine of the archive's name.
dist: tools ui
	@set -e; \
	program=$$(cargo xtask dist); \
	version=$$(cargo pkgid --package app | sed 's/.*[#@]//'); \
	machine=$$(rustc -vV | sed -n 's/^host: //p'); \
	name="gannet-$$version-$$machine"; \
	folder='$(CARGO_TARGET_DIR)/package'; \
	rm -rf "$$folder/$$name"; \
	mkdir -p "$$folder/$$name"; \
	cp "$$program" "$$folder/$$name/"; \
	for file in README.md CHANGELOG.md LICENSE*; do [ ! -f "$$file" ] || cp "$$file" "$$folder/$$name/"; done; \
	tar -C "$$folder" -czf "$$folder/$$name.tar.gz" "$$name"; \
	echo "$$folder/$$name.tar.gz"

# One plain sentence for each tool that is missing.
tools:
	@missing=0; \
	say() { echo "$$1" >&2; missing=1; }; \
	command -v cargo >/dev/null || say 'cargo is missing: install Rust, it builds everything here.'; \
	command -v cc >/dev/null || say 'cc is missing: install a C compiler (gcc or clang), some libraries contain C.'; \
	[ ! -f ui/package.json ] || command -v node >/dev/null || say 'node is missing: install Node.js, it builds the web UI.'; \
	exit $$missing
