"""The log: exact numbers, growing columns, cutting back, broken files, TensorBoard, videos."""

from __future__ import annotations

import math
import struct
from pathlib import Path

import cv2
import numpy as np
import pytest
from tensorboardX.proto.event_pb2 import Event, SessionLog

from cs285.infrastructure.base.errors import UserError
from cs285.infrastructure.logging.films import write_video
from cs285.infrastructure.logging.logger import SCALARS, WALL_CLOCK_COLUMNS, Logger, read_log

AWKWARD = [1 / 3, 0.1 + 0.2, -0.0, 5e-324, 1.7976931348623157e308, math.inf, -math.inf, 1e22]


def read_events(path: Path) -> list[Event]:
    """Reads a TensorBoard file: records of length (8 bytes), check (4), event, check (4)."""
    data, position, events = path.read_bytes(), 0, []
    while position < len(data):
        (length,) = struct.unpack_from("<Q", data, position)
        events.append(Event.FromString(data[position + 12 : position + 12 + length]))
        position += 12 + length + 4
    return events


def all_events(run_dir: Path) -> list[Event]:
    """Reads every event file of a run, oldest first."""
    files = sorted(run_dir.glob("events.out.tfevents.*"), key=lambda path: path.suffix)
    return [event for path in files for event in read_events(path)]


def write_rows(logger: Logger, steps: range) -> None:
    for step in steps:
        logger.log_scalars(step, {"a": step / 7, "b": step * 2})


def test_numbers_come_back_bit_for_bit(tmp_path: Path) -> None:
    logger = Logger(tmp_path)
    for step, value in enumerate(AWKWARD):
        logger.log_scalars(step, {"value": value})
    logger.close()
    read = read_log(tmp_path)
    assert read["value"].dtype == np.float64
    assert read["value"].tobytes() == np.array(AWKWARD).tobytes()
    assert list(read) == ["Step", "value"]
    assert read["Step"].tolist() == list(range(len(AWKWARD)))


def test_numpy_numbers_and_nan_are_written_as_they_are(tmp_path: Path) -> None:
    logger = Logger(tmp_path)
    row = {"f32": np.float32(0.1), "i64": np.int64(2**53), "nan": math.nan, "count": 7}
    logger.log_scalars(3, row)
    logger.close()
    lines = (tmp_path / "log.csv").read_text().splitlines()
    assert lines == ["Step,f32,i64,nan,count", "3,0.10000000149011612,9007199254740992,nan,7"]
    assert math.isnan(read_log(tmp_path)["nan"][0])


def test_a_row_is_on_disk_before_the_next_one(tmp_path: Path) -> None:
    logger = Logger(tmp_path)
    for step in range(3):
        logger.log_scalars(step, {"a": 1.0})
        assert len(read_log(tmp_path)["a"]) == step + 1
        values = [e for e in all_events(tmp_path) if e.HasField("summary")]
        assert len(values) == step + 1
    logger.close()


def test_new_columns_come_last_and_missing_ones_are_blank(tmp_path: Path) -> None:
    logger = Logger(tmp_path)
    logger.log_scalars(0, {"a": 1.0})
    logger.log_scalars(1, {"b": 2.0, "a": 1.5})
    logger.log_scalars(2, {"b": 3.0})
    logger.close()
    assert (tmp_path / "log.csv").read_text() == "Step,a,b\n0,1.0,\n1,1.5,2.0\n2,,3.0\n"
    np.testing.assert_array_equal(read_log(tmp_path)["b"], [math.nan, 2.0, 3.0])


@pytest.mark.parametrize("name", ["a,b", "a\nb"])
def test_a_name_that_would_break_the_file_is_refused(tmp_path: Path, name: str) -> None:
    logger = Logger(tmp_path)
    with pytest.raises(ValueError, match="no comma"):
        logger.log_scalars(0, {name: 1.0})
    assert not (tmp_path / "log.csv").exists()


def test_a_new_logger_replaces_an_old_log(tmp_path: Path) -> None:
    for start in (0, 5):
        logger = Logger(tmp_path)
        write_rows(logger, range(start, start + 2))
        logger.close()
    assert read_log(tmp_path)["Step"].tolist() == [5, 6]


def test_resume_ends_with_the_same_file_as_a_run_never_killed(tmp_path: Path) -> None:
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    for run_dir in (whole, cut):
        run_dir.mkdir()
    logger = Logger(whole)
    write_rows(logger, range(6))
    logger.close()

    killed = Logger(cut)
    write_rows(killed, range(3))
    state = killed.state_dict()
    write_rows(killed, range(3, 5))
    killed.log_scalars(5, {"a column that came after the checkpoint": 1.0})
    killed.close()
    with (cut / "log.csv").open("a") as file:
        file.write("6,0.857142")  # the write that the kill cut short

    resumed = Logger(cut)
    resumed.load_state_dict(state)
    assert resumed.state_dict() == state == {"rows": 3, "columns": ["Step", "a", "b"]}
    assert read_log(cut)["Step"].tolist() == [0, 1, 2]
    write_rows(resumed, range(3, 6))
    resumed.close()
    assert (cut / "log.csv").read_bytes() == (whole / "log.csv").read_bytes()


def test_state_of_an_empty_log_empties_the_file(tmp_path: Path) -> None:
    logger = Logger(tmp_path)
    state = logger.state_dict()
    write_rows(logger, range(2))
    logger.load_state_dict(state)
    assert read_log(tmp_path) == {}
    write_rows(logger, range(1))
    logger.close()
    assert read_log(tmp_path)["Step"].tolist() == [0]


@pytest.mark.parametrize("text", ["", "Step,a,b\n0,0.0,0\n", "Step,b,a\n0,1,2\n1,1,2\n2,1,2\n"])
def test_a_log_that_lost_what_the_checkpoint_counts_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "log.csv").write_text(text)
    with pytest.raises(UserError, match=r"log\.csv is not the log that this run wrote"):
        Logger(tmp_path).load_state_dict({"rows": 2, "columns": ["Step", "a", "b"]})
    assert (tmp_path / "log.csv").read_text() == text


def test_tensorboard_gets_finite_values_and_forgets_what_is_redone(tmp_path: Path) -> None:
    logger = Logger(tmp_path)
    logger.log_scalars(10, {"Train_AverageReturn": math.nan, "Training Loss": 0.5})
    state = logger.state_dict()
    logger.log_scalars(20, {"Training Loss": 0.25})
    logger.load_state_dict(state)
    logger.log_scalars(20, {"Training Loss": 0.125})
    logger.close()
    events = all_events(tmp_path)
    starts = [e.step for e in events if e.session_log.status == SessionLog.START]
    assert starts == [0, 11]
    values = [(e.step, v.tag, v.simple_value) for e in events for v in e.summary.value]
    names = [(10, "Training Loss", 0.5), (20, "Training Loss", 0.25), (20, "Training Loss", 0.125)]
    assert values == names
    assert len(list(tmp_path.glob("events.*"))) == 2  # also within one second of the clock


@pytest.mark.parametrize("cut", ["Step,a\n0,1.0\n1,2.", "Step,a\n0,1.0\n1", "Step,a\n0,1.0\n"])
def test_a_last_line_cut_short_is_left_out(tmp_path: Path, cut: str) -> None:
    (tmp_path / "log.csv").write_text(cut)
    assert read_log(tmp_path)["a"].tolist() == [1.0]


def test_files_without_rows(tmp_path: Path) -> None:
    for text in ("", "Step,"):
        (tmp_path / "log.csv").write_text(text)
        assert read_log(tmp_path) == {}
    (tmp_path / "log.csv").write_text("Step,a\n")
    assert {name: len(values) for name, values in read_log(tmp_path).items()} == {"Step": 0, "a": 0}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "is not there"),
        ("Step,a\n0,1.0\n1\n2,1.0\n", "line 3: 1 values, expected 2"),
        ("Step,a\n0,hello\n", "hello"),
    ],
)
def test_a_missing_or_damaged_log_is_named(tmp_path: Path, text: str | None, message: str) -> None:
    if text is not None:
        (tmp_path / "log.csv").write_text(text)
    with pytest.raises(UserError, match=message) as error:
        read_log(tmp_path)
    assert str(tmp_path / "log.csv") in str(error.value)


def test_video_shows_the_frames_in_their_colours(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    frames = np.zeros((4, 64, 96, 3), np.uint8)
    frames[..., 0] = 220  # red in RGB
    path = write_video(tmp_path, "episode_1", 12.5, frames, fps=20)
    assert path == tmp_path / "videos" / "episode_1_return_12.5.webm"
    assert capfd.readouterr() == ("", "")
    capture = cv2.VideoCapture(str(path))
    assert capture.get(cv2.CAP_PROP_FPS) == 20
    assert capture.get(cv2.CAP_PROP_FRAME_COUNT) == 4
    whole, picture = capture.read()
    assert whole and picture.shape == (64, 96, 3)
    # The codec is lossy: 40 is far above what it does to a plain picture (under 5).
    np.testing.assert_allclose(picture.mean(axis=(0, 1)), [0, 0, 220], atol=40)


@pytest.mark.parametrize(
    "frames",
    [np.zeros((0, 8, 8, 3), np.uint8), np.zeros((2, 8, 8), np.uint8), np.zeros((2, 8, 8, 3))],
)
def test_frames_that_are_no_video_are_refused(tmp_path: Path, frames: np.ndarray) -> None:
    with pytest.raises(ValueError, match="frames: want uint8"):
        write_video(tmp_path, "episode_1", 0.0, frames, fps=20)


def test_every_scalar_has_a_unit_and_a_meaning() -> None:
    assert set(WALL_CLOCK_COLUMNS) <= set(SCALARS)
    assert all(unit and meaning and who for unit, meaning, who in SCALARS.values())
