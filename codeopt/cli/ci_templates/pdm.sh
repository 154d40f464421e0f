python -m venv @TOOLS@
@TOOLS@/bin/pip install --quiet pdm
python -m venv @ENV@
export PDM_CACHE_DIR="$(python -m pip cache dir)/pdm" VIRTUAL_ENV=@ENV@
@TOOLS@/bin/pdm sync --quiet --dev@EXTRAS@
@ENV@/bin/pip install --quiet pytest
