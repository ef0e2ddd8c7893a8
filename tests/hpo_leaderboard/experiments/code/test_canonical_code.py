"""Code without comments, docstrings and formatting: what counts and what does not."""

import ast

import pytest

from hpo_leaderboard.experiments.code.canonical_code import canonical_code

CODE = '''
"""Head."""
class A:
    """Doc."""
    def f(self, x, *, y=("a", 'b')):
        """More."""
        if x is None:
            return -0.0
        return [x, f"{y!r:>{x}}", {**x}]
'''
SAME = """
# a comment
class A:
    def f(
        self,
        x,
        *,
        y=('a', "b"),  # another
    ):
        if (x is None):
            return -0.0

        return [
            x,
            f"{y!r:>{x}}",
            {**x},
        ]
"""


def test_comments_docstrings_and_formatting_do_not_count():
    assert canonical_code(ast.parse(CODE)) == canonical_code(ast.parse(SAME))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("-0.0", "0.0"),
        ("-0.0", "-0"),
        ("'b'", "'c'"),
        ("'b'", "b'b'"),
        ("is None", "is not None"),
        ("self, x,", "self, z,"),
        ("!r", "!s"),
        ("{**x}", "{'x': x}"),
        ("return -0.0", "return"),
        ("return -0.0", "return None"),
        ("class A:", "class A(B):"),
        ("    def", "    @d\n    def"),
        ("*, ", ""),
    ],
)
def test_everything_else_counts(old, new):
    assert old in CODE
    assert canonical_code(ast.parse(CODE)) != canonical_code(ast.parse(CODE.replace(old, new)))
