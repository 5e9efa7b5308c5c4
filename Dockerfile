# Handoff in containers. `docker compose up` builds what it needs of this; by hand:
#
#   docker build --target handoff        -t handoff .           the core; workers are containers of their own
#   docker build --target handoff-python -t handoff-python .    the core and Python, for one container that starts its workers
#   docker build --target handoff-node   -t handoff-node .      the core and Node, likewise
#
# docker/README.md says how to put a handler of one's own on top. Both builders can build it, BuildKit and the classic one.

# What these are built on. `make image-digests` prints digests to put in their place, docs/SUPPLY-CHAIN.md says why none stands here.
ARG DEBIAN_IMAGE=debian:trixie-slim
ARG NODE_IMAGE=node:24-trixie-slim

FROM ${DEBIAN_IMAGE} AS build
# Java's packages put links among the manual pages, whose folder slim images lack.
RUN mkdir -p /usr/share/man/man1 \
 && apt-get update \
 && apt-get install --yes --no-install-recommends binutils maven openjdk-25-jdk-headless python3 \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /handoff
COPY . .
RUN mv "$(scripts/dist folder)" /opt/handoff
# A volume that is mounted on one of these gets its owner, who is who the core and the workers run as. The group may read what is
# in the second, so that the admin token is for those that are given this group, such as Prometheus.
RUN install -d -o 10001 -g 10001 -m 0755 /owned/run/handoff \
 && install -d -o 10001 -g 10001 -m 0770 /owned/var/lib/handoff

FROM ${DEBIAN_IMAGE} AS handoff
LABEL org.opencontainers.image.title="Handoff" \
      org.opencontainers.image.description="An HTTP/1.x server for handlers written in any language" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="0.1.0-SNAPSHOT"
COPY --from=build /opt/handoff /opt/handoff
COPY --from=build /owned /
ENV PATH=/opt/handoff:$PATH HANDOFF_HOST=0.0.0.0 HANDOFF_SOCKET=/run/handoff/handoff.sock
USER 10001:10001
EXPOSE 8080
# So that the rest of the file system can be read-only.
VOLUME ["/run/handoff", "/var/lib/handoff"]
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=5s --timeout=3s --start-period=30s CMD ["/opt/handoff/lib/is-ready"]
ENTRYPOINT ["/opt/handoff/handoff"]
CMD ["serve"]

FROM handoff AS handoff-python
USER root
RUN apt-get update \
 && apt-get install --yes --no-install-recommends python3 python3-venv \
 && rm -rf /var/lib/apt/lists/* \
 && python3 -m venv /opt/venv
# What a handler needs, `RUN pip install --require-hashes` puts here as root.
ENV VIRTUAL_ENV=/opt/venv PATH=/opt/venv/bin:$PATH
USER 10001:10001
WORKDIR /app
CMD ["run", "/opt/handoff/examples-python/where.py"]

FROM ${NODE_IMAGE} AS node

FROM handoff AS handoff-node
COPY --from=node /usr/local/bin/node /usr/local/bin/
COPY --from=node /usr/local/lib/node_modules/npm /usr/local/lib/node_modules/npm
USER root
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm && node --version && npm --version
USER 10001:10001
WORKDIR /app
CMD ["run", "/opt/handoff/examples-node/where.mjs"]
