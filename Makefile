# What a newcomer guesses: build, test, check, format, bench, fuzz, dist, clean. `make help` explains them.
# V=1 shows all that Maven says; JAVA_OPTIONS are more Maven options (JAVA_OPTIONS=-Dtest=HeadersTest).
#
# Maven's parallel builds (-T) are not used: the modules depend on each other in a chain, so there is nothing to run in parallel.

.DEFAULT_GOAL := help
.PHONY: help build unit test test-java test-python test-node check check-java check-python check-node check-shell check-pages \
        format bench bench-frameworks bench-slow bench-streams bench-websockets bench-files bench-http-servers bench-replicas bench-tls bench-languages bench-start bench-memory bench-tuning bench-profiles fuzz differential faults screenshot \
        dist deb packages test-dist test-packages test-docker test-kubernetes test-real autobahn audit lock lock-python lock-maven image-digests clean \
        clean-docker clean-kubernetes

# Without V=1: warnings, errors and the lines with which each test class and module ends.
MAVEN_LOG := org.slf4j.simpleLogger
ifndef V
MAVEN_QUIET := -D$(MAVEN_LOG).defaultLogLevel=warn
TESTS_SPEAK := -D$(MAVEN_LOG).log.org.apache.maven.plugin.surefire=info \
               -D$(MAVEN_LOG).log.org.apache.maven.plugin.failsafe=info
endif
MAVEN_OPTIONS := $(MAVEN_QUIET) $(JAVA_OPTIONS)

# The folders that hold Python and Node code, as far as they exist already.
PYTHON_TESTS := $(wildcard admin/tests sdk-python/tests examples-python/tests examples-other/tests examples-http/tests adapters/tests conformance/tests benchmarks/tests monitoring/tests deploy/tests supply/tests)
NODE_TESTS   := $(wildcard admin/src/test/page/*.test.mjs sdk-node/test/*.test.mjs examples-node/test/*.test.mjs conformance/todobackend/*.test.mjs)
NODE_TYPED   := $(dir $(wildcard */tsconfig.json))
PYTHON_TYPED := $(wildcard admin/tests sdk-python/src sdk-python/accelerator/src sdk-python/accelerator/build.py benchmarks conformance monitoring packaging deploy docker kubernetes supply examples-python/*.py examples-other/tests examples-http/tests examples-http/python adapters/tests)

PYTHON := .venv/bin/python
SUPPLY := target/supply
REAL := target/real/venv
NEWEST_NODE := node_modules/node-newest/bin

FUZZ_SECONDS := 60
FAULTS_SECONDS := 60
# Atheris has wheels for Python 3.11 to 3.13; where python3 is another: make fuzz FUZZ_PYTHON=python3.13
FUZZ_PYTHON := python3

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## compile with all checks, without running tests
	@scripts/setup build
	@scripts/build strict $(MAVEN_OPTIONS) -DskipTests package

# The tests wait for processes and deadlines most of the time, so several run at once, also on a machine of two cores.
TESTS_AT_ONCE := 4

unit: ## the unit tests that need a JDK and Maven alone, in about a minute; TEST=HeadersTest runs one class
	@scripts/setup build
	@scripts/maven $(MAVEN_OPTIONS) $(TESTS_SPEAK) -Dunit $(if $(TEST),-Dtest='$(TEST)' -Dsurefire.failIfNoSpecifiedTests=false) test

# What the tests of all languages need is installed first, so that nobody is surprised minutes later. Then the three run side by side, on
# one application: Java's tests find it up to date and leave it as it is.
test: ## all tests: unit and end-to-end, Java, Python and Node; installs first what they need, and says what
	@scripts/setup build test browser
	@$(MAKE) --no-print-directory build
	@scripts/build trained
	@echo "The tests in Java, Python and Node run side by side; each prints what it has to say when it ends."
	@$(MAKE) --no-print-directory --jobs=3 --output-sync=target test-java test-python test-node

test-java:
	@scripts/setup build test
	@scripts/build strict $(MAVEN_OPTIONS) $(TESTS_SPEAK) verify

test-python: $(if $(PYTHON_TESTS),.venv/installed)
	@scripts/setup build test
	@scripts/build trained
	@$(if $(PYTHON_TESTS),$(PYTHON) -m pytest --quiet --numprocesses=$(TESTS_AT_ONCE) --dist=worksteal $(PYTHON_TESTS),:)

# With the installed Node, and then the SDK with the newest, where npm has one for this machine.
test-node: node_modules/installed
	@scripts/setup build test browser
	@scripts/build trained
	@node --test --test-reporter=dot --test-concurrency=$(TESTS_AT_ONCE) $(NODE_TESTS)
	@if [ -x $(NEWEST_NODE)/node ]; then PATH="$(CURDIR)/$(NEWEST_NODE):$$PATH" \
		node --test --test-reporter=dot --test-concurrency=$(TESTS_AT_ONCE) sdk-node/test/*.test.mjs; fi

check: check-java check-python check-node check-shell check-pages ## formatting, strict compilation, linters, links, lines and options of pages

# One test class runs too: an option in a page that nobody has written down would be found an hour later in CI otherwise.
check-java:
	@scripts/setup build
	@scripts/build strict $(MAVEN_OPTIONS) -Dtest=HelpTextTest -Dsurefire.failIfNoSpecifiedTests=false spotless:check package

check-python: .venv/installed
	@.venv/bin/ruff check --quiet
	@.venv/bin/ruff format --quiet --check
	@for typed in $(PYTHON_TYPED); do MYPYPATH=$$typed:monitoring:docker:sdk-python/tests:examples-other/tests .venv/bin/mypy --strict --no-error-summary --exclude /real/applications/ $$typed || exit 1; done

check-node: node_modules/installed
	@npx --no-install biome ci --colors=off --log-level=warn .
	@for typed in $(NODE_TYPED); do npx --no-install tsc --project $$typed || exit 1; done

# They are among the tests too; here they take a second.
check-pages: .venv/installed
	@said=$$($(PYTHON) -m pytest --quiet conformance/tests/test_pages.py) || { echo "$$said"; exit 1; }

# A helper, not a condition: the scripts are few, and not every machine has a package of it. It follows the files that scripts source.
check-shell:
	@scripts/setup shell
	@if command -v shellcheck >/dev/null; then shellcheck --external-sources handoff packaging/packaged .ci/run docker/replace docker/tests/debian/start packaging/debian/p* $$(grep -lE '^#!/bin/(ba)?sh' scripts/*); fi

format: .venv/installed node_modules/installed ## rewrite the sources in the house's format
	@scripts/setup build
	@scripts/maven $(MAVEN_OPTIONS) spotless:apply
	@.venv/bin/ruff check --quiet --fix
	@.venv/bin/ruff format --quiet
	@npx --no-install biome check --write --colors=off --log-level=warn .

bench: build .venv/installed ## load tests; benchmarks/RESULTS.md says how to read them
	@scripts/setup bench
	@$(PYTHON) benchmarks/run.py

bench-frameworks: build .venv/installed node_modules/installed ## unchanged Flask, Express, … on Handoff and on their own servers
	@scripts/setup bench
	@$(PYTHON) benchmarks/frameworks.py

bench-slow: build .venv/installed ## what a normal client feels among 10,000 slow ones
	@scripts/setup bench
	@$(PYTHON) benchmarks/slow_clients.py

bench-streams: build .venv/installed ## thousands of event streams, a gigabyte down and up, beside other servers
	@scripts/setup bench
	@$(PYTHON) benchmarks/streams.py

bench-websockets: build .venv/installed node_modules/installed ## echoes by WebSockets, and ten thousand idle ones, beside other servers
	@scripts/setup bench
	@$(PYTHON) benchmarks/web_sockets.py

bench-files: build .venv/installed ## files of three sizes, beside nginx
	@scripts/setup bench
	@$(PYTHON) benchmarks/files.py

bench-http-servers: build .venv/installed ## HTTP servers behind Handoff, nginx and HAProxy, and asked directly
	@scripts/setup bench
	@$(PYTHON) benchmarks/http_servers.py

bench-tls: build .venv/installed ## what TLS costs for requests and handshakes, beside nginx and node:https
	@scripts/setup bench
	@$(PYTHON) benchmarks/tls_servers.py

bench-replicas: build .venv/installed ## 1, 2 and 4 replicas behind one balancer, each held to a share of a core; as root
	@scripts/setup bench
	@$(PYTHON) benchmarks/replicas.py

bench-languages: build .venv/installed ## workers in all languages, and adapters beside their languages' own servers; writes docs/LANGUAGES.md
	@$(PYTHON) benchmarks/languages.py

bench-start: .venv/installed ## from start to ready and to the first answer
	@scripts/setup build bench
	@$(PYTHON) benchmarks/start_up.py

bench-memory: build .venv/installed ## what one more connection, request or stream takes, and a whole server with one worker
	@scripts/setup bench
	@$(PYTHON) benchmarks/memory.py

bench-tuning: build .venv/installed ## what the settings of a deployment do; writes benchmarks/TUNING.md and its quote in docs/DEPLOYING.md
	@scripts/setup bench
	@$(PYTHON) benchmarks/tuning.py

bench-profiles: build .venv/installed ## flame graphs of the hot paths, and where the microseconds are; writes benchmarks/profiles
	@scripts/setup bench profiles
	@$(PYTHON) benchmarks/profiles.py

fuzz: .venv-fuzz/installed .venv/installed ## search for counter-examples: FUZZ_SECONDS=60 for each of FUZZ_TARGETS, usually all
	@scripts/setup build
	@scripts/maven $(MAVEN_OPTIONS) $(TESTS_SPEAK) -Pfuzz -Dfuzz.seconds=$(FUZZ_SECONDS) test
	@scripts/fuzz $(FUZZ_SECONDS) $(FUZZ_TARGETS)

differential: .venv/installed ## CASES=5000 damaged requests through Handoff and other servers, compared; docs/DIFFERENTIAL.md
	@scripts/setup build check
	@cd conformance && ../$(PYTHON) -m differential --cases $(or $(CASES),5000) $(addprefix --seed ,$(SEED)) $(DIFFERENTIAL_OPTIONS)

faults: .venv/installed node_modules/installed ## FAULTS_SECONDS=60 of workers killed and stopped, reloads and drains, while clients check every byte; SEED=1 repeats
	@scripts/setup build check
	@scripts/build fresh >/dev/null
	@cd conformance && ../$(PYTHON) -m faults --seconds $(FAULTS_SECONDS) $(addprefix --seed ,$(SEED)) $(FAULTS_OPTIONS)

autobahn: .venv/installed ## what the Autobahn test suite says of WebSockets, CASES="1.* 7.3.1" for some; needs CPython 2.7
	@scripts/build fresh >/dev/null
	@scripts/autobahn $(foreach case,$(CASES),'$(case)')

screenshot: build node_modules/installed ## docs/dashboard.png anew, from a server under load
	@scripts/setup bench browser
	@node admin/src/test/page/screenshot.mjs docs/dashboard.png

dist: build ## target/dist/handoff-server-VERSION-SYSTEM.tar.gz, to unpack and run where there is no Java
	@scripts/dist

packages: build ## target/packages: wheels, tarballs and Maven's jars, to upload or to install from the folder
	@folder=$$(scripts/dist folder) && python3 packaging/packages.py "$$folder" target/packages && \
		python3 packaging/maven_artifacts.py "$$folder" target/packages/maven $(URL)
	@cd target/packages && find pip npm maven -type f ! -name '*.md5' ! -name '*.sha*' | LC_ALL=C sort | xargs sha256sum >SHA256SUMS && cat SHA256SUMS

deb: build ## the same as a Debian package
	@scripts/dist deb

# Apart from test-python because it packs a distribution, which takes as long as all of that.
test-dist: .venv/installed ## what `make dist` makes, unpacked elsewhere and run
	@scripts/setup build test
	@$(PYTHON) -m pytest --quiet packaging/tests

# Apart for the same reason, and because it needs root and debootstrap. What it fetches stays in ~/.cache/handoff-packages.
test-packages: .venv/installed ## what `make packages` makes, installed in bare roots that have only Python or only Node
	@scripts/setup build test packages
	@$(PYTHON) -m pytest --quiet -rs packaging/install

# Apart for the same reason, and because it needs an engine; HANDOFF_DOCKER=required makes its absence a failure.
test-docker: .venv/installed ## docker compose up, its images and its monitoring, on an engine that is there or is started
	@scripts/setup docker || test "$$HANDOFF_DOCKER" != required
	@$(PYTHON) -m pytest --quiet --capture=no -rs docker/tests

# Apart because it needs root and Go, and builds Kubernetes first, a quarter of an hour once; HANDOFF_KUBERNETES=required makes its
# absence a failure.
test-kubernetes: .venv/installed ## deploy/kubernetes.yml in a cluster of two nodes on this machine, under load; kubernetes/README.md
	@scripts/setup kubernetes || test "$$HANDOFF_KUBERNETES" != required
	@$(PYTHON) -m pytest --quiet --capture=no -rs kubernetes/tests

clean-kubernetes: ## remove what test-kubernetes keeps in ~/.cache/handoff-kubernetes, about 1 GB
	@rm -rf "$${XDG_CACHE_HOME:-$$HOME/.cache}/handoff-kubernetes"

clean-docker: ## remove what test-docker keeps in ~/.cache/handoff-docker, 2 to 4 GB, and has left on the machine if it was killed
	@cd docker && python3 -m harness.clean

# Apart because it takes minutes and hundreds of packages that nothing else needs. SUITE=litmus runs one of them.
test-real: build $(REAL)/installed conformance/real/node_modules/installed ## suites and applications written elsewhere, on Handoff and on their own servers; conformance/real
	@scripts/setup test real
	@$(REAL)/bin/python -m pytest --quiet --capture=no -rs -p no:cacheprovider $(addprefix -k ,$(SUITE)) conformance/real

audit: $(SUPPLY)/installed ## ask who knows of vulnerabilities about all that is downloaded; HANDOFF_AUDIT=required has all of them answer
	@scripts/setup check
	@$(SUPPLY)/bin/python supply/audit.py

lock: lock-python lock-maven ## write the hashes of all that the build downloads; docs/SUPPLY-CHAIN.md

# UPGRADE=1 also renews what the lists leave open.
lock-python: $(SUPPLY)/installed
	@PATH="$(CURDIR)/$(SUPPLY)/bin:$$PATH" python3 supply/lock.py python

# MAVENS='mvn /opt/maven-3.9/bin/mvn' has several of them do all that the build asks of one, in an empty repository.
lock-maven:
	@scripts/setup build check
	@python3 supply/lock.py maven

image-digests: ## print the digests of the images that ours build on, for a file .env
	@python3 supply/images.py

clean: ## remove all that was built
	@rm -rf target core/target handlers-process/target admin/target launcher/target

# The tools of both languages, in the versions and with the hashes that the repository names, renewed when these change. Of Python's
# packages only wheels are taken: to build one would bring tools that no lock names.
HASHED := --require-hashes --only-binary :all:

.venv/installed: requirements-dev.lock.txt sdk-python/pyproject.toml
	@scripts/setup check
	@python3 -m venv .venv
	@.venv/bin/pip install --quiet --disable-pip-version-check $(HASHED) --requirement requirements-dev.lock.txt
	@.venv/bin/pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps --editable sdk-python
	@touch $@

.venv-fuzz/installed: sdk-python/tests/fuzz/requirements.lock.txt
	@scripts/setup check
	@$(FUZZ_PYTHON) -m venv .venv-fuzz
	@.venv-fuzz/bin/pip install --quiet --disable-pip-version-check $(HASHED) --requirement $<
	@touch $@

$(SUPPLY)/installed: supply/requirements.lock.txt
	@scripts/setup check
	@python3 -m venv $(SUPPLY)
	@$(SUPPLY)/bin/pip install --quiet --disable-pip-version-check $(HASHED) --requirement supply/requirements.lock.txt
	@touch $@

$(REAL)/installed: conformance/real/requirements.lock.txt
	@scripts/setup check
	@python3 -m venv $(REAL)
	@$(REAL)/bin/pip install --quiet --disable-pip-version-check $(HASHED) --requirement $<
	@touch $@

conformance/real/node_modules/installed: conformance/real/package.json conformance/real/package-lock.json
	@scripts/setup check
	@npm ci --prefix conformance/real --ignore-scripts --loglevel=error --no-audit --no-fund
	@touch $@

node_modules/installed: package.json package-lock.json
	@scripts/setup check
	@npm ci --ignore-scripts --loglevel=error --no-audit --no-fund
	@touch $@
