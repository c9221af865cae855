"""Has type hints of all kinds, and data classes."""

AT_IMPORT = """
from dataclasses import dataclass
from typing import Annotated, Generic, Protocol, TypedDict, TypeVar

T = TypeVar("T", bound="np.ndarray")

class Settings(TypedDict, total=False):
    gamma: float | None

@dataclass(frozen=True)
class Kept(Generic[T]):
    values: Annotated[list[T], "one a step"]
    more: dict[str, tuple[int, ...]] | None = None

def first(kept: Kept[T]) -> T | None:
    match kept.values:
        case [value, *_]:
            return value
        case _:
            return None
"""
