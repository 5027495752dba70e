"""Where uploaded assignments lie: unpacked below the data, each in a folder called by the hash of its zip.

The zip is kept among the contents of handed-in files, so a backup holds it; its folder is made from it again
wherever it is missing. A folder is complete when it has its name.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path, PurePosixPath

from django.conf import settings

from attest.portal.courses.models import Course, CourseAssignment
from attest.portal.handing_in.keeping import Store
from attest.portal.logs import event
from attest.portal.uploads.models import UploadedFolder, UsedUpload
from graders.assignment import FILE, Assignment, AssignmentError, read_assignment
from graders.reading.archive import list_archive
from graders.reading.entries import Entry, EntryError
from graders.reading.submission import ReadingLimits

LIMITS = ReadingLimits(
    file_bytes=16 * 2**20, total_bytes=64 * 2**20, archive_bytes=32 * 2**20, files=5000, entries=5000
)


class Unusable(ValueError):
    """What was uploaded is no assignment folder. The message tells the instructor why, and what to do."""


def root() -> Path:
    """Return the folder of all uploaded assignments."""
    return Path(settings.CONFIGURATION.data) / "assignments"


def place_of(uploaded: UploadedFolder) -> Path:
    """Return where an uploaded assignment is unpacked; it need not be there yet."""
    return root() / uploaded.digest


def files_of(data: bytes) -> dict[str, bytes]:
    """Return the files of an assignment's zip by their paths in its folder. Raises Unusable."""
    try:
        listing = list_archive(data, LIMITS)
    except EntryError as error:
        raise Unusable(f"{error.of('The file').sentence}") from None
    if listing.problems:
        raise Unusable(listing.problems[0].sentence)
    top = _top(listing.entries)
    found: dict[str, bytes] = {}
    left = LIMITS.total_bytes
    for entry in listing.entries:
        name = entry.name[len(top) :]
        if not entry.name.startswith(top) or "__pycache__" in PurePosixPath(name).parts:
            continue
        try:
            data = entry.read(min(LIMITS.file_bytes, left) + 1)
        except EntryError as error:
            raise Unusable(error.of(entry.name).sentence) from None
        left -= len(data)
        if len(data) > LIMITS.file_bytes or left < 0:
            most = f"{LIMITS.file_bytes // 2**20} MB, and all files {LIMITS.total_bytes // 2**20} MB"
            raise Unusable(f"{entry.name}: is too large. A file may have {most}.")
        if name in found:
            raise Unusable(f"{entry.name}: is there twice. Make the zip again.")
        found[name] = data
    return found


def _top(entries: tuple[Entry, ...]) -> str:
    """Return what comes before each name: nothing, or the one folder that holds the assignment."""
    tables = [one.name for one in entries if PurePosixPath(one.name).name == FILE]
    if not tables:
        raise Unusable(f"No {FILE} is in it. Zip the assignment's folder.")
    nearest = min(tables, key=lambda name: (name.count("/"), name))
    if nearest.count("/") > 1:
        raise Unusable(f"{nearest}: lies too deep. Zip the folder that holds {FILE}, and nothing around it.")
    return nearest[: -len(FILE)]


def unpack(data: bytes, digest: str) -> Path:
    """Unpack an assignment's zip where it belongs, whole or not at all. Raises Unusable and OSError."""
    place = root() / digest
    if place.is_dir():
        return place
    files = files_of(data)
    root().mkdir(parents=True, exist_ok=True, mode=0o700)
    made = Path(tempfile.mkdtemp(prefix=".unpacking-", dir=root()))
    try:
        for name, content in files.items():
            path = made / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        try:
            os.rename(made, place)
        except OSError:
            if not place.is_dir():  # somebody else has unpacked the same
                raise
    except (FileExistsError, NotADirectoryError, IsADirectoryError):
        raise Unusable("A file in it has the name of a folder. Make the zip again.") from None
    finally:
        shutil.rmtree(made, ignore_errors=True)
    return place


def read(place: Path) -> Assignment:
    """Read an uploaded assignment. Raises Unusable where it is faulty, or reaches outside its folder."""
    try:
        found = read_assignment(place)
    except AssignmentError as error:
        raise Unusable(str(error).replace(f"{place}/", "")) from None
    for exercise in found.exercises:
        if not exercise.folder.resolve().is_relative_to(place.resolve()):
            raise Unusable(f"The exercise {exercise.id} lies outside the folder. Put it into the folder.")
    return found


def usable(course: Course, folder: str) -> UploadedFolder | None:
    """Return the upload of this course that has passed and lies in a folder; None for none."""
    path = Path(folder)
    if path.parent != root():
        return None
    return UploadedFolder.objects.filter(course=course, digest=path.name, passed=True).first()


def is_data(folder: str) -> bool:
    """Whether a path leads into the portal's own data, where nothing but uploads is an assignment."""
    return Path(folder).resolve().is_relative_to(Path(settings.CONFIGURATION.data).resolve())


def put_in_place() -> None:
    """Unpack what is missing, as after a restore, and name the folders as they are called now.

    An assignment whose content is gone is left: whoever grades it says what is missing.
    """
    store = Store(settings.CONFIGURATION.files)
    for used in UsedUpload.objects.select_related("uploaded", "assignment").defer("uploaded__report"):
        place = place_of(used.uploaded)
        if used.assignment.folder != str(place):
            CourseAssignment.objects.filter(pk=used.assignment_id).update(folder=str(place))
        if place.is_dir():
            continue
        try:
            unpack(store.read(used.uploaded.digest), used.uploaded.digest)
        except (Unusable, OSError):
            event("upload not unpacked", upload=used.uploaded_id)
