"""A cache of tables that belongs to the test session, so that no test depends on what the user's holds."""

import os
import tempfile

from hypothesis import settings

_cache = tempfile.TemporaryDirectory(prefix="hpo-foundry-tests-")
os.environ["HPO_FOUNDRY_CACHE"] = _cache.name

settings.register_profile("shared-machine", deadline=None)  # a busy core is no failure
settings.load_profile("shared-machine")
