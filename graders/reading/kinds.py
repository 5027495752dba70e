"""What a file is, told from its first bytes and its name, so that a sentence can say what was found."""

from __future__ import annotations

import re

from graders.reading.names import split_suffix

EXPECTED = "a Python script (.py) or a notebook (.ipynb)"
HAND_IN = "hand in the .py or .ipynb file itself"

_MAGIC: tuple[tuple[bytes, str], ...] = (
    (b"%PDF-", "a PDF document"),
    (b"\x89PNG\r\n\x1a\n", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF87a", "a GIF picture"),
    (b"GIF89a", "a GIF picture"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"BZh91AY&SY", "a bzip2 archive"),
    (b"\xfd7zXZ\x00", "an xz archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
    (b"Rar!\x1a\x07", "a RAR archive"),
    (b"\x28\xb5\x2f\xfd", "a Zstandard archive"),
    (b"\x7fELF", "a compiled Linux program"),
    (b"\xcf\xfa\xed\xfe", "a compiled macOS program"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Microsoft Office document"),
    (b"{\\rtf", "a rich text document"),
    (b"\x89HDF\r\n\x1a\n", "an HDF5 data file"),
    (b"\x93NUMPY", "a NumPy array file"),
    (b"SQLite format 3\x00", "an SQLite database"),
    (b"version https://git-lfs.github.com/spec/", "a Git LFS pointer, not the file it stands for"),
)

_BY_SUFFIX = {
    ".doc": "a Word document",
    ".docx": "a Word document",
    ".odt": "an OpenDocument text",
    ".pages": "a Pages document",
    ".rtf": "a rich text document",
    ".pdf": "a PDF document",
    ".ppt": "a presentation",
    ".pptx": "a presentation",
    ".xls": "a spreadsheet",
    ".xlsx": "a spreadsheet",
    ".csv": "a table of data",
    ".html": "a web page",
    ".htm": "a web page",
    ".md": "a Markdown text",
    ".txt": "a text file",
    ".json": "a JSON file",
    ".r": "an R script",
    ".rmd": "an R Markdown document",
    ".jl": "a Julia script",
    ".m": "a MATLAB script",
    ".java": "a Java source file",
    ".c": "a C source file",
    ".cpp": "a C++ source file",
    ".js": "a JavaScript file",
    ".pyc": "compiled Python, not its source",
    ".pt": "a PyTorch checkpoint",
    ".pth": "a PyTorch checkpoint",
    ".pkl": "a Python pickle",
    ".png": "a PNG picture",
    ".jpg": "a JPEG picture",
    ".jpeg": "a JPEG picture",
    ".heic": "a photo",
    ".tar": "a tar archive",
    ".gz": "a gzip archive",
    ".tgz": "a tar archive",
    ".7z": "a 7-Zip archive",
    ".rar": "a RAR archive",
    ".zip": "a zip archive",
    ".url": "a link, not a file",
    ".webloc": "a link, not a file",
    ".gdoc": "a link to Google Drive, not a file",
    ".lnk": "a shortcut, not a file",
}

_PYTHON_LINE = re.compile(r"^(?:import|from|def|class)[ \t]+\w", re.MULTILINE)


def looks_like(data: bytes) -> str | None:
    """Return what `data` is by its first bytes ("a PDF document"), or None where it may be text."""
    for magic, kind in _MAGIC:
        if data.startswith(magic):
            return kind
    if data.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _zip_kind(data)
    head = data[:512]
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    compiled_python = data[2:4] == b"\r\n" and data[1:2] in (b"\x0c", b"\x0d", b"\x0e", b"\x0f")
    for told, kind in (
        (data[:1] == b"\x80" and data[1:2] in (b"\x02", b"\x03", b"\x04", b"\x05"), "a Python pickle"),
        (data.startswith(b"MZ") and b"\x00" in head, "a compiled Windows program"),
        (compiled_python and b"\x00" in head, "compiled Python, not its source"),
        (data[257:262] == b"ustar" and b"\x00" in head, "a tar archive"),
        (data[4:8] == b"ftyp" and b"\x00" in head, "a film or a photo"),
        (start.startswith((b"<!doctype html", b"<html", b"<head")), "a web page (HTML)"),
        (start.startswith(b"<?xml"), "an XML document"),
    ):
        if told:
            return kind
    return None


def _zip_kind(data: bytes) -> str:
    """Tell the documents that are zips inside from a zip archive, by the names at both ends of the file."""
    ends = data[:4096] + data[-65_536:]
    for mark, kind in (
        (b"word/", "a Word document"),
        (b"xl/", "a spreadsheet"),
        (b"ppt/", "a presentation"),
        (b"opendocument", "an OpenDocument file"),
        (b"Index/Document.iwa", "a Pages document"),
        (b"/data.pkl", "a PyTorch checkpoint"),
        (b".npy", "a NumPy archive"),
    ):
        if mark in ends and (mark not in (b"word/", b"xl/", b"ppt/") or b"[Content_Types].xml" in ends):
            return kind
    return "a zip archive"


def described(name: str, data: bytes | None = None) -> str:
    """Return what a file is, by its bytes where they tell and by its name otherwise."""
    found = looks_like(data) if data is not None else None
    if found:
        return found
    suffix = split_suffix(name)[1]
    if suffix in _BY_SUFFIX:
        return _BY_SUFFIX[suffix]
    ordinary = suffix[1:].isalnum() and suffix.isascii() and len(suffix) <= 12
    return f"a {suffix} file" if ordinary else "a file of unknown kind"


def looks_like_python(text: str) -> bool:
    """Whether a text has lines that only Python source has."""
    return _PYTHON_LINE.search(text[:200_000]) is not None


def looks_like_notebook(data: bytes) -> bool:
    """Whether bytes begin like JSON and speak of nbformat, whatever the file is called."""
    if not data[:64].lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n\x00").startswith(b"{"):
        return False
    return any('"nbformat"'.encode(codec) in data for codec in ("utf-8", "utf-16-le", "utf-16-be"))
