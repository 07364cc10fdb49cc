"""Our entries in a harness's JSON file: put in, found again, and taken out.

Text in, text out. How an entry is laid out tells what was there before it (see ``json_text``), so
nothing but the file itself is needed to take our part out and leave every other byte as it was.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from resources_graph_core.harness import MCP_SERVER, json_text
from resources_graph_core.harness.targets import HOOK_PROGRAM, program_in

if TYPE_CHECKING:
    from collections.abc import Callable

    from resources_graph_core.harness.json_text import Node

_BLANK = "\ufeff \t\r\n"


@dataclass(frozen=True, slots=True)
class JsonConfig:
    """What of ours belongs into one JSON file, for any path of the hook program.

    ``entries`` makes it; a member called ``MCP_SERVER`` in it is ours as a whole, a list holds
    elements of ours beside others. ``preamble`` is what a new file needs besides.
    """

    where: str
    entries: Callable[[str], dict[str, object]]
    preamble: dict[str, object]

    def install(self, text: str | None, program: str) -> str:
        """The text with our entries for ``program``; None stands for a file that is not there.

        Raises ConfigError when the text is no JSON, holds something else where ours belongs, or
        already has an entry of our name that is somebody else's.
        """
        if text is None:
            return self._fresh(program) + "\n"
        if not text.strip(_BLANK):
            return text + self._fresh(program)
        root = self._parse(text)
        if not root.entries:
            inner = self._fresh(program)[1:-1].lstrip()
            return text[: root.start + 1] + inner + text[root.start + 1 :]
        if self._is_outdated(root, program):
            return self.install(self.uninstall(text), program)
        while (longer := self._add_missing(text, self._parse(text), self.entries(program))) != text:
            text = longer
        return text

    def uninstall(self, text: str) -> str | None:
        """The text without anything of ours; None when the file was ours altogether.

        Raises ConfigError when the text is no JSON.
        """
        if not text.strip(_BLANK):
            return text
        root = self._parse(text)
        program = self._program(root)
        if program is None:
            return text
        fresh = self._fresh(program)
        if text == fresh + "\n":
            return None
        if text.endswith(fresh) and not text.removesuffix(fresh).strip(_BLANK):
            return text.removesuffix(fresh)
        inner = fresh[1:-1].lstrip()
        before, after = text[: root.start + 1], text[root.start + 1 :]
        if after.startswith(inner):
            shorter = before + after.removeprefix(inner)
            if not self._parse(shorter).entries:
                return shorter
        return self._take_out(text)

    def _fresh(self, program: str) -> str:
        """A new file's text. The preamble comes last, unlike in a file that had it before us."""
        document = {**self.entries(program), **self.preamble}
        return json.dumps(document, indent=2, ensure_ascii=False)

    def _parse(self, text: str) -> Node:
        root = json_text.parse(text, self.where)
        if root.kind != "object":
            raise json_text.refusal(
                self.where, json_text.line_of(text, root.start), "it does not hold a JSON object"
            )
        return root

    def _program(self, root: Node) -> str | None:
        """The program of the first entry of ours, or None without any."""
        return next((program for _, _, program in self._ours(root)), None)

    def _ours(self, root: Node) -> list[tuple[list[Node], int, str]]:
        """Every entry of ours: the containers that lead to it, its index in the last, its program.

        In the order of the text. Lists are looked through whatever event they are for, since an
        earlier release may have used others.
        """
        found: list[tuple[list[Node], int, str]] = []
        for key, wanted in self.entries(HOOK_PROGRAM).items():
            for index, entry in enumerate(root.entries):
                if entry.key != key:
                    continue
                if key == MCP_SERVER:
                    program = program_in(entry.value.plain())
                    found += [([root], index, program)] if program else []
                elif isinstance(wanted, dict) and entry.value.kind == "object":
                    found += _ours_below([root, entry.value], is_named=MCP_SERVER in wanted)
        return found

    def _is_outdated(self, root: Node, program: str) -> bool:
        """Whether an entry of ours is as we put it in, but not as we would put it in today.

        An entry of our name that the user added to is not: what changed is renewed in it.
        """
        wanted = _elements_of(self.entries(program))
        for containers, index, its_program in self._ours(root):
            there = containers[-1].entries[index].value.plain()
            if containers[-1].kind == "array":
                if there not in wanted:
                    return True
            elif its_program != program and there in _elements_of(self.entries(its_program)):
                return True
        return False

    def _add_missing(self, text: str, node: Node, wanted: dict[str, object]) -> str:
        """The text with the first thing added that is missing; the same text when nothing is."""
        for key, value in wanted.items():
            there = node.member(key)
            if there is None:
                return json_text.add(text, node, key, value)
            if key == MCP_SERVER:
                longer = self._renew(text, there, value)
            elif isinstance(value, list):
                longer = self._add_elements(text, there, value)
            elif isinstance(value, dict):
                self._expect(text, there, "object", key)
                longer = self._add_missing(text, there, value)
            else:
                longer = text
            if longer != text:
                return longer
        return text

    def _add_elements(self, text: str, node: Node, wanted: list[object]) -> str:
        self._expect(text, node, "array", "the list of hooks")
        present = [entry.value.plain() for entry in node.entries]
        for element in wanted:
            if element not in present:
                return json_text.add(text, node, None, element)
        return text

    def _renew(self, text: str, node: Node, wanted: object) -> str:
        """The text with our named entry as wanted, with what the user added to it kept."""
        there = node.plain()
        if not isinstance(there, dict) or program_in(there) is None:
            raise json_text.refusal(
                self.where,
                json_text.line_of(text, node.start),
                f'"{MCP_SERVER}" is already there and runs something else',
            )
        if not isinstance(wanted, dict) or there.items() >= wanted.items():
            return text
        return json_text.replace(text, node, {**there, **wanted})

    def _expect(self, text: str, node: Node, kind: str, what: str) -> None:
        if node.kind != kind:
            raise json_text.refusal(
                self.where,
                json_text.line_of(text, node.start),
                f'"{what}" should hold an {kind} and does not',
            )

    def _take_out(self, text: str) -> str:
        """The text without our entries, last one first, and without containers made for them."""
        while ours := self._ours(self._parse(text)):
            containers, index, _ = ours[-1]
            text, is_left_over = json_text.remove(text, containers[-1], index)
            for outer, inner in zip(containers[-2::-1], containers[:0:-1], strict=False):
                if not is_left_over:
                    break
                place = next(
                    number
                    for number, entry in enumerate(outer.entries)
                    if entry.value.start == inner.start
                )
                shorter_outer = _parsed_at(self._parse(text), outer.start)
                text, is_left_over = json_text.remove(text, shorter_outer, place)
        return text


def _elements_of(entries: dict[str, object]) -> list[object]:
    """What ``entries`` puts in: elements of lists, and what goes under our name."""
    found: list[object] = []
    for key, value in entries.items():
        if key == MCP_SERVER:
            found.append(value)
        elif isinstance(value, list):
            found += value
        elif isinstance(value, dict):
            found += _elements_of(value)
    return found


def _parsed_at(root: Node, start: int) -> Node:
    """The container that begins at a position."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.start == start:
            return node
        waiting += [entry.value for entry in node.entries]
    raise LookupError(start)


def _ours_below(containers: list[Node], *, is_named: bool) -> list[tuple[list[Node], int, str]]:
    """Our entries in an object: the one of our name, or those in its members' lists."""
    found: list[tuple[list[Node], int, str]] = []
    holder = containers[-1]
    for index, entry in enumerate(holder.entries):
        if is_named:
            program = program_in(entry.value.plain()) if entry.key == MCP_SERVER else None
            found += [(containers, index, program)] if program else []
        elif entry.value.kind == "array":
            found += _ours_in_list([*containers, entry.value])
    return found


def _ours_in_list(containers: list[Node]) -> list[tuple[list[Node], int, str]]:
    """Our handlers in a list: whole groups of them, and single ones in somebody's group."""
    found: list[tuple[list[Node], int, str]] = []
    for index, entry in enumerate(containers[-1].entries):
        program = program_in(entry.value.plain())
        if program is not None:
            found.append((containers, index, program))
            continue
        handlers = entry.value.member("hooks")
        if handlers is not None and handlers.kind == "array":
            for number, handler in enumerate(handlers.entries):
                program = program_in(handler.value.plain())
                if program is not None:
                    found.append(([*containers, entry.value, handlers], number, program))
    return found
