"""A cache of tables that belongs to the test session, so that no test depends on what the user's holds."""

import os
import tempfile

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before numpy loads: threads of small products wait for one another
from hypothesis import settings

if "PYTEST_XDIST_WORKER" not in os.environ:  # workers use that of the process that started them: one builds a table
    _cache = tempfile.TemporaryDirectory(prefix="hpo-foundry-tests-")
    os.environ["HPO_FOUNDRY_CACHE"] = _cache.name

settings.register_profile("shared-machine", deadline=None)  # a busy core is no failure
settings.load_profile("shared-machine")
