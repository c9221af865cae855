"""What systems and people do to the names and places of files."""

from __future__ import annotations

import unicodedata
import zipfile
from pathlib import Path

from tests.attacks.archives._writing import as_tar, as_zip, email_bytes, zip_bytes
from tests.attacks.suite import Files, as_folder, handed_in

CRITIC, ARGMAX = "cs285/critics/dqn_critic.py", "cs285/policies/argmax_policy.py"
HELPER = "größe.py"


def renamed(files: Files, path: str, to: str) -> Files:
    """Returns files of which one has another name."""
    return {to if name == path else name: data for name, data in files.items()}


@handed_in("passed")
def second_download(files: Files, place: Path) -> None:
    """Has a file that a browser has numbered."""
    as_folder(renamed(files, CRITIC, "cs285/critics/dqn_critic (1).py"), place)


@handed_in("passed")
def final_version(files: Files, place: Path) -> None:
    """Has a file with FINAL in its name."""
    as_zip(renamed(files, ARGMAX, "cs285/policies/argmax_policy_FINAL_v2.py"), place)


@handed_in("passed")
def mail_filter(files: Files, place: Path) -> None:
    """Has files called .py.txt, for a mail program refuses programs."""
    as_folder({f"{path}.txt": data for path, data in files.items()}, place)


@handed_in("passed")
def capital_letters(files: Files, place: Path) -> None:
    """Has capital letters in the names of folders, as some systems do not care."""
    as_folder({p.replace("cs285/critics", "CS285/Critics"): d for p, d in files.items()}, place)


@handed_in("passed")
def single_files_and_a_helper(files: Files, place: Path) -> None:
    """Hands in the files alone, all in one folder."""
    loose = {Path(path).name: data for path, data in files.items()}
    as_folder({**loose, "notes.md": b"# What I did\n"}, place)


@handed_in("passed")
def code_and_data_apart(files: Files, place: Path) -> None:
    """A folder with one archive of code and another of data."""
    place.mkdir()
    as_zip(files, place / "code")
    as_tar({"data/hw3_q1_x/log.csv": b"Step\n1\n"}, place / "data")


@handed_in("passed")
def film_without_compression(files: Files, place: Path) -> None:
    """A zip without compression, with a film of 13.5 MB beside the code."""
    as_zip({"film.webm": bytes(27 * 2**19), **files}, place, zipfile.ZIP_STORED)


@handed_in("passed")
def zip_as_a_stream(files: Files, place: Path) -> None:
    """A zip that was written as a stream: sizes and checksums stand behind the data."""
    with Path(f"{place}.zip").open("wb") as file:
        write = file.write

        class Stream:
            """Cannot go back, as a download."""

            def write(self, data: bytes) -> int:
                """Writes."""
                return write(data)

            def flush(self) -> None:
                """Has nothing to do."""

        with zipfile.ZipFile(Stream(), "w", zipfile.ZIP_DEFLATED) as archive:  # type: ignore[call-overload]
            for path, data in files.items():
                archive.writestr(path, data)


@handed_in("passed")
def accents_of_a_mac(files: Files, place: Path) -> None:
    """Imports a module with an accent in its name, which a Mac writes in two parts."""
    name = unicodedata.normalize("NFD", HELPER)
    own = b"import cs285.policies.gr\xc3\xb6\xc3\x9fe\n"
    helper = {f"cs285/policies/{name}": b"x = 1\n"}
    as_folder({**files, **helper, ARGMAX: files[ARGMAX] + own}, place)


@handed_in("passed")
def list_of_a_platform(files: Files, place: Path) -> None:
    """Has a submission_metadata.yml of its own, from an earlier download."""
    as_folder({**files, "submission_metadata.yml": b"submission_1:\n  :submitters: []\n"}, place)


@handed_in("passed")
def email_with_an_archive(files: Files, place: Path) -> None:
    """Was sent as an email, which somebody saved."""
    Path(f"{place}.eml").write_bytes(email_bytes({"hw3.zip": zip_bytes(files)}, ""))


@handed_in("passed")
def email_with_loose_files(files: Files, place: Path) -> None:
    """Was sent as an email, each file by itself."""
    loose = {Path(path).name: data for path, data in files.items()}
    Path(f"{place}.eml").write_bytes(email_bytes(loose, ""))
