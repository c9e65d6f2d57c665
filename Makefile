# Tutti. `make help` lists what there is. Needs git, make and any Node >= 20; the rest it installs.
SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help install uninstall build bundle system-packages docker-test-image demo start serve chat test test-fast test-as-user proof check lint format bench bench-tools bench-gateway bench-sandbox bench-workflow bench-agent bench-agents bench-planning bench-memory bench-api soak docs picture bench-ml \
	docker-build docker-up docker-down logs clean

# npm looks for the machine's settings (registry, certificates, proxy) beside the Node that runs it: name them before that is another Node.
npm_config_globalconfig ?= $(abspath $(dir $(realpath $(shell command -v node)))../etc/npmrc)
export npm_config_globalconfig
# Node 24 from npm lands here when the Node at hand is older; it comes first in every recipe.
export PATH := $(CURDIR)/node_modules/.bin:$(PATH)
# npm says nothing about newer versions of itself.
export npm_config_update_notifier := false
installed := node_modules/.installed
test_servers := test/servers/node_modules/.installed
# The Restate server (BSL): the tests of the second engine start it; Tutti itself never installs it.
test_restate := test/restate/node_modules/.installed
# The package that runs GGUF files: users install it when they want it.
test_llama := test/llama/node_modules/.installed
bench_peers := bench/gateway/node_modules/.installed
workflow_peers := bench/workflow/node_modules/.installed
agent_peers := bench/agent/node_modules/.installed
ml_texts := bench/ml/node_modules/.installed

help: ## Show this help
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-14s %s\n", $$1, $$2}'

install: build ## Install dependencies (and Node 24 where it is missing), build, and put tutti on PATH (~/.local/bin)
	@bash scripts/launcher.sh install

uninstall: ## Remove tutti from PATH
	@bash scripts/launcher.sh uninstall

build: $(installed) dist/.built ## Install dependencies and build, without putting tutti on PATH

$(installed): package.json package-lock.json scripts/install.sh
	@bash scripts/install.sh
	@touch $@

# Programs of others, for the tests and benchmarks alone.
%/node_modules/.installed: %/package.json %/package-lock.json | $(installed)
	@npm ci --prefix $* --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@

dist/.built: $(installed) scripts/build.ts tsconfig.json $(shell find src -type f ! -name '*.test.ts' 2>/dev/null)
	@npm run --silent build
	@touch $@

bundle: build ## Write dist-bundle/*.mcpb, which desktop clients install as one file
	@node scripts/bundle.ts

system-packages: ## Install the Debian packages the tests compare with (asks first on a terminal)
	@bash scripts/system-packages.sh

docker-test-image: build system-packages ## Make the image that the tests of the docker driver run in (once)
	@bash scripts/docker-test-image.sh

demo: build ## See the whole product in a minute, on a sample project: no key, no Docker
	@bash scripts/install-bubblewrap.sh
	@node examples/demo.ts

start: build ## Serve MCP over HTTP on http://127.0.0.1:8004 (same as "serve")
	@node bin/tutti.js serve

serve: start

chat: build ## Talk to Tutti in the terminal
	@node bin/tutti.js

test: build system-packages docker-test-image $(test_servers) $(test_restate) $(test_llama) ## Set up everything, then run all checks and tests (seeded samples of the long proofs)
	@npm run --silent check

test-fast: build ## Run the unit tests of src alone
	@node scripts/test.ts --fast

test-as-user: build ## Run the hostile programs and protections of the sandbox as a plain user without a cgroup
	@bash scripts/test-as-user.sh

proof: build system-packages docker-test-image $(test_servers) $(test_restate) $(test_llama) ## Run the long proofs in full
	@TUTTI_PROOF=1 npm run --silent test

check: build ## Types, lint, format, dead code and tests, without touching system packages
	@npm run --silent check

lint: build ## Lint, check types and look for dead code
	@npm run --silent types && npm run --silent lint && npm run --silent dead

format: build ## Format the sources
	@npm run --silent format

# Each runs, whatever those before it measured; the last line names those that ended with a miss or a failure.
benches := bench-gateway bench-sandbox bench-workflow bench-planning bench-memory bench-agent bench-agents bench-api bench-tools
bench: build ## Measure against the floors and peers named in bench/README.md
	@missed=; for bench in $(benches); do $(MAKE) --no-print-directory $$bench || missed="$$missed $$bench"; done; \
	[ -z "$$missed" ] || { echo "Missed a limit, or failed:$$missed"; exit 1; }

bench-tools: build ## Measure starts, tools and memory beside bare scripts
	@node bench/run.ts

bench-gateway: build $(bench_peers) ## Measure the way of a call beside mcp-proxy, mcp-hub, supergateway and an SDK proxy
	@node bench/gateway/run.ts

bench-sandbox: build ## Measure starts and runs of the sandbox beside a raw spawn, plain bwrap and docker run
	@node bench/sandbox/run.ts

bench-workflow: build $(workflow_peers) ## Measure runs beside LangGraph.js, BullMQ, DBOS and Restate (needs redis-server and postgresql)
	@node bench/workflow/run.ts

bench-planning: build ## Plan without a model: how often it is right, asks, or is wrong
	@node bench/planning/run.ts

bench-agent: build $(agent_peers) ## Measure a turn of the agent beside a bare tool loop of the AI SDK
	@node bench/agent/run.ts

bench-agents: build ## Choose among agents and compare versions in 20 simulated worlds
	@node bench/agents/run.ts

bench-api: build ## Measure the REST API beside bare Hono handlers, 100 tenants and 10,000 event streams
	@node bench/api/run.ts

bench-memory: build ## Recall over generated conversations, with its ablation, and searches over 100,000 items
	@node --expose-gc bench/memory/run.ts

bench-ml: build $(ml_texts) ## Train beside torch and scikit-learn (needs python3-torch, libopenblas0-pthread, python3-sklearn)
	@node bench/ml/run.ts

soak: build ## A thousand calls a second for ten minutes: no error, flat memory
	@node bench/gateway/soak.ts

guards: build ## Switch off each guard of the wall in a copy of the sources: a case must fail for every one
	@TUTTI_PROOF=1 npx vitest run test/wall/guard-mutation.test.ts

soak-api: build ## A mixed load on the API for two minutes: no error, flat memory
	@node bench/api/soak.ts --seconds 120

docs: build ## Generate docs/errors.md, configuration.md, security-rules.md, openapi.json and postman.json
	@npm run --silent docs

picture: build ## Draw docs/tutti.svg, the picture in the README, from a real run
	@node scripts/make-picture.ts

docker-build: ## Build the container image
	docker build -f deploy/Dockerfile -t tutti:local .

docker-up: ## Start the container on http://127.0.0.1:8004
	docker compose -f deploy/compose.yaml up -d

docker-down: ## Stop the container
	docker compose -f deploy/compose.yaml down

logs: build ## Follow the log of this machine's Tutti
	@node bin/tutti.js logs -f

clean: ## Remove what was built and installed
	rm -rf dist dist-bundle coverage node_modules test/.cache test/servers/node_modules test/restate/node_modules test/llama/node_modules bench/gateway/node_modules bench/workflow/node_modules bench/agent/node_modules
