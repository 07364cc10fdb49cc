"""Frozen records that cost a hook nothing to import.

``dataclasses`` and ``typing`` take some 20 to 30 ms each to import, more than a bare interpreter:
too much for what runs before every tool call of an agent. A ``Record`` is the part of a frozen,
keyword-only dataclass that the hook program's records need.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn, Self, dataclass_transform
else:

    def dataclass_transform(**_options: object) -> object:
        """Tell a type checker how records are made; nothing at run time."""
        return lambda cls: cls


@dataclass_transform(frozen_default=True, kw_only_default=True)
class Record:
    """The base: annotated fields, defaults as class attributes, made from keywords only.

    A missing or unknown field raises TypeError, and so does setting one later.
    """

    def __init__(self, **values: object) -> None:
        own = type(self)
        fields = own.__annotations__
        for name in values:
            if name not in fields:
                raise TypeError(f"{own.__name__} has no field {name}.")
        for name in fields:
            if name not in values and not hasattr(own, name):
                raise TypeError(f"{own.__name__} needs the field {name}.")
        self.__dict__.update(values)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        """Refuse: a record does not change."""
        raise TypeError(f"A {type(self).__name__} does not change; {name} cannot be set.")

    def fields(self) -> dict[str, object]:
        """Every field by name, defaults included, in the order of the class."""
        return {name: getattr(self, name) for name in type(self).__annotations__}

    def changed(self, **values: object) -> Self:
        """The same record with other values for some fields."""
        return type(self)(**{**self.fields(), **values})

    def __eq__(self, other: object) -> bool:
        """Records are equal when they are of one class and their fields are."""
        return type(other) is type(self) and self.fields() == other.fields()

    def __hash__(self) -> int:
        """Equal records hash alike."""
        return hash(tuple(self.fields().items()))

    def __repr__(self) -> str:
        """The fields that are not at their default."""
        shown = ", ".join(f"{name}={value!r}" for name, value in self.__dict__.items())
        return f"{type(self).__name__}({shown})"
