python -m venv @TOOLS@
@TOOLS@/bin/pip install --quiet poetry
python -m venv @ENV@
export POETRY_CACHE_DIR="$(python -m pip cache dir)/poetry" VIRTUAL_ENV=@ENV@
@TOOLS@/bin/poetry install --quiet --no-interaction@EXTRAS@
@ENV@/bin/pip install --quiet pytest
