# The service in one container: plain JavaScript, production dependencies, an unprivileged user, tini as PID 1.
# docker build -t postrider .
# The base is pinned by the digest of its index for all architectures: Node 24.21.0 of 2026-10-06. CONTRIBUTING.md says how to
# renew it.

FROM node:24-bookworm-slim@sha256:d6aa754f16b3197301076f047b5def2f02ea1dbbc2ca920407d46d7ec7f87b20 AS build
RUN apt-get update && apt-get install -y --no-install-recommends tini
WORKDIR /app
COPY package.json package-lock.json ./
# Nothing is compiled: what this Node needs comes as a binary.
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json ./
COPY src src
COPY ops/bundle-command-line.js ops/
RUN npm run build
# tsx runs a checkout, better-sqlite3 12 is for Node 20; a build on this Node does without. Nor does it need binaries for
# other systems, and what they were compiled from.
RUN npm uninstall --ignore-scripts tsx && npm prune --ignore-scripts --omit=dev && rm -rf node_modules/better-sqlite3 \
  && cd node_modules/better-sqlite3-13 && rm -rf deps src \
  && find prebuilds -type f ! -name "linux-$(node -p process.arch).node" -delete

FROM node:24-bookworm-slim@sha256:d6aa754f16b3197301076f047b5def2f02ea1dbbc2ca920407d46d7ec7f87b20 AS system
RUN rm -rf /opt/yarn* /usr/local/lib/node_modules /usr/local/include /usr/share/locale /usr/share/man /usr/share/info \
    /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /usr/local/bin/yarn* /var/lib/apt/lists/* /var/cache/apt/*
RUN useradd --uid 10001 --user-group --no-create-home --home-dir /data --shell /usr/sbin/nologin postrider \
  && install -d -o postrider -g postrider -m 0700 /data /certs
COPY --from=build /usr/bin/tini /usr/bin/tini
COPY --from=build /app/node_modules /app/node_modules
COPY --from=build /app/dist /app/dist
COPY bin /app/bin
COPY docs /app/docs
COPY package.json LICENSE README.md CHANGELOG.md CONTRIBUTING.md /app/
RUN ln -s /app/bin/postrider /usr/local/bin/postrider

# One layer, without what was removed from the base.
FROM scratch
COPY --from=system / /
ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    NODE_ENV=production DATA_DIR=/data CERTS_DIR=/certs
# glibc's malloc makes an arena for each of a dozen threads otherwise: 7 MB more at rest, and no time gained.
# Buffers of 4 MiB and more are given back when they are freed; glibc would keep such memory after the first of them.
# From 1 MiB on, a message of 1 MB would cost 6 % more CPU time for new pages.
ENV MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=4194304
WORKDIR /app
USER 10001:10001
VOLUME ["/data", "/certs"]
EXPOSE 8080 587 465 25 80
HEALTHCHECK --interval=30s --timeout=10s --start-period=30s CMD ["node", "dist/healthcheck.js"]
ENTRYPOINT ["/usr/bin/tini", "-s", "--"]
# As in `npm start`. V8's memory reducer is off: after a minute without mail it throws away what was compiled for the way of a
# message, and the next 10,000 cost a quarter more CPU time. The old generation may grow to three times what was left of it
# before it is collected, and one thread helps with that instead of four: a full collection, with all that it takes from the
# other threads, delays messages by up to 100 ms, and under load there was one every 1.5 s. The young generation is collected
# after 16 MB: with Node's 32 MB, the buffers of messages first reach V8's limit of memory outside its heap, which starts a full
# collection, and with 8 MB the objects of messages in progress are copied twice as often, which costs a twentieth of the CPU
# time. The thread that needs memory copies them without help: few survive, and a second thread costs more than it saves.
CMD ["node", "--no-memory-reducer", "--heap-growing-percent=200", "--v8-pool-size=1", "--max-semi-space-size=16", "--no-parallel-scavenge", "dist/main.js"]
