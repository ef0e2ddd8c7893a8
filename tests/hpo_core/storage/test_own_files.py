"""Files of the user's own beside built-in names."""

import pytest

from hpo_core.errors import NameTaken, UnknownName
from hpo_core.storage.own_files import OwnFiles
from hpo_core.storage.stamps import stamp_path


@pytest.fixture
def own(tmp_path, monkeypatch):
    """Files `mine` and `shipped`, the latter also the name of a built-in."""
    monkeypatch.setenv("HPO_FOUNDRY_CACHE", str(tmp_path))
    files = OwnFiles("kept", "thing", "thing", lambda: {"shipped", "other"})
    for name in ("mine", "shipped"):
        files.path(name).parent.mkdir(exist_ok=True)
        files.path(name).touch()
    return files


def test_names_and_what_they_cover(own):
    assert own.names() == ["mine", "shipped"]
    assert own.has("mine") and not own.has("other")
    assert own.covers("shipped") and not own.covers("mine") and not own.covers("other")


def test_a_built_in_name_is_taken_unless_it_is_to_be_covered(own):
    own.check_free("mine", replace=False)
    own.check_free("new", replace=False)
    own.check_free("other", replace=True)
    for name in ("other", "shipped"):
        with pytest.raises(NameTaken, match=f"'{name}' is the name of a built-in thing"):
            own.check_free(name, replace=False)


def test_removing_leaves_nothing_behind(own):
    stamp = stamp_path(own.path("mine"))
    stamp.parent.mkdir()
    stamp.touch()
    assert own.remove("mine") == own.path("mine")
    assert [path.name for path in own.path("").parent.iterdir()] == ["shipped.h5"] and not stamp.exists()


def test_only_files_of_the_folder_are_removed(own, tmp_path):
    (tmp_path / "elsewhere.h5").touch()
    for name in ("../elsewhere", "other", "nothing"):
        with pytest.raises(UnknownName, match="only a thing of your own"):
            own.remove(name)
    assert (tmp_path / "elsewhere.h5").exists()
