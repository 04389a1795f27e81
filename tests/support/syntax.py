"""Parse source files."""

import ast
import gc


def parsed(source: str | bytes) -> ast.Module:
    """Return the syntax tree of a module; raises SyntaxError."""
    # CPython 3.11 adds up the depths of two trees in the making, and the outer one fails with a SystemError
    # (gh-106905). A finaliser that formats a traceback makes the inner one, so nothing is collected now.
    gc.disable()
    try:
        return ast.parse(source)
    finally:
        gc.enable()
