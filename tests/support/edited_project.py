"""A project whose files are edited, and the digest of its code after each edit."""

from hpo_leaderboard.experiments.code.code_digest import code_digest, forget_digests


class Project:
    """Files of a project, and the digest of its module `mine` after each change."""

    def __init__(self, folder):
        self.folder = folder
        self.write("mine.py", "import helper\nclass Search: pass\n")
        self.write("helper.py", "x = 1\n")

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        forget_digests()

    def digest(self, module="mine"):
        return code_digest(module)

    def changes(self, name, text, module="mine"):
        """Whether writing this to a file changes the digest; the file is as before afterwards."""
        path, before = self.folder / name, self.digest(module)
        original = path.read_text()
        self.write(name, text)
        after = self.digest(module)
        self.write(name, original)
        assert self.digest(module) == before
        return before != after
