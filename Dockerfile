# Handoff in containers. `docker compose up` builds what it needs of this; by hand:
#
#   docker build --target handoff        -t handoff .           the core; workers are containers of their own
#   docker build --target handoff-python -t handoff-python .    the core and Python, for one container that starts its workers
#   docker build --target handoff-node   -t handoff-node .      the same with Node
#
# docs/DEPLOYING.md says how to put a handler of one's own on top.

FROM debian:trixie-slim AS build
RUN apt-get update \
 && apt-get install --yes --no-install-recommends binutils maven openjdk-25-jdk-headless python3 \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /handoff
# What is downloaded for the build changes seldom: a layer of its own, which a change of the sources leaves.
COPY pom.xml ./
COPY core/pom.xml core/
COPY handlers-process/pom.xml handlers-process/
COPY admin/pom.xml admin/
COPY launcher/pom.xml launcher/
COPY scripts scripts
RUN scripts/maven --quiet -Dquick dependency:go-offline || true
COPY . .
RUN scripts/dist folder && mv target/dist/handoff-* /opt/handoff

# What every image of ours has: the program, and a user of its own.
FROM scratch AS program
COPY --from=build /opt/handoff /opt/handoff

FROM debian:trixie-slim AS handoff
