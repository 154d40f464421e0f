# codeopt for CI and for machines that are not Linux. docs/ci.md says how to use it.
#
#   docker build -t codeopt .
#
# BASE is any Debian with Python 3.11 or later and its venv. What pip needs comes as build arguments (PIP_INDEX_URL, or
# PIP_NO_INDEX=1 with PIP_FIND_LINKS=wheels for a folder of wheels beside this file), which stay out of the image.
ARG BASE=python:3.12-slim-bookworm

FROM ${BASE} AS build
ARG PIP_INDEX_URL
ARG PIP_EXTRA_INDEX_URL
ARG PIP_FIND_LINKS
ARG PIP_NO_INDEX
WORKDIR /source
COPY . .
# Two environments: codeopt's own, and that of the programs, which a Dockerfile of yours adds packages to.
RUN python3 -m venv /opt/codeopt \
    && /opt/codeopt/bin/pip install --no-cache-dir ".[mcp,prices]" \
    && python3 -m venv /opt/python \
    && /opt/python/bin/pip install --no-cache-dir pytest scalene

FROM ${BASE}
RUN command -v git >/dev/null \
    || (apt-get update && apt-get install -y --no-install-recommends git && rm -rf /var/lib/apt/lists/*)
COPY --from=build /opt/codeopt /opt/codeopt
COPY --from=build /opt/python /opt/python
# Folders come from outside with other owners, which git would refuse. Copies that sibling containers are shown lie in a
# volume, because the engine can mount that.
RUN ln -s /opt/codeopt/bin/codeopt /usr/local/bin/codeopt \
    && git config --system --add safe.directory '*' \
    && mkdir -m 1777 /var/tmp/codeopt /work
VOLUME /var/tmp/codeopt
ENV TMPDIR=/var/tmp/codeopt \
    VIRTUAL_ENV=/opt/python \
    PATH=/opt/python/bin:/usr/local/bin:/usr/local/sbin:/usr/bin:/usr/sbin:/bin:/sbin \
    CODEOPT_SANDBOX=isolated
WORKDIR /work
ENTRYPOINT ["codeopt"]
CMD ["--help"]
