python -m venv @TOOLS@
@TOOLS@/bin/pip install --quiet uv
export UV_CACHE_DIR="$(python -m pip cache dir)/uv" UV_PROJECT_ENVIRONMENT=@ENV@
@TOOLS@/bin/uv sync --quiet --frozen --python "$(command -v python)"@EXTRAS@
@TOOLS@/bin/uv pip install --quiet --python @ENV@/bin/python pytest
