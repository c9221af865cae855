"""Writes a scratch file at import, and removes it."""

AT_IMPORT = {
    "policies/argmax_policy.py": """
import pathlib, tempfile
with tempfile.TemporaryDirectory() as place:
    (pathlib.Path(place) / 'note.txt').write_text('hello')
""",
}
