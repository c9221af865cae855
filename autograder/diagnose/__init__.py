"""Why a run does not learn: what its log, its settings and its weights tell together."""

from autograder.diagnose.illnesses import examine
from autograder.diagnose.record import Record, read_record

__all__ = ["Record", "examine", "read_record"]
