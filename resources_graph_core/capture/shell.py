"""Shell commands to the programs they run, read with the grammar of bash (tree-sitter).

The script is walked as a shell would walk it: every program that it may run comes out with its
words, its directory and its environment, as far as they are literal; text that only mentions
commands (quotes, comments, here-documents) does not. A word that only running the script would
tell holds UNKNOWN. What an error of syntax stands in or before is not read.
"""

from __future__ import annotations

from itertools import pairwise

from resources_graph_core.capture import grammar, output, syntax, words
from resources_graph_core.capture.expansion import DEEPEST, Expander
from resources_graph_core.capture.flags import UNKNOWN
from resources_graph_core.capture.launchers import Program, Script, unwrap
from resources_graph_core.capture.scope import Scope
from resources_graph_core.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tree_sitter import Node

    from resources_graph_core.capture.context import Context

LONGEST = 131_072
"""Bytes of a command that are read: Linux takes no longer argument, so ``bash -c`` neither."""

_MOST_STEPS = 4000
_MOST_ROUNDS = 200


_ENDING = frozenset(["exit", "return", "break", "continue"])


class Run(Record):
    """One program that may run, and the surroundings it runs in."""

    program: Program
    context: Context


def runs(command: str, context: Context) -> list[Run]:
    """Every program that ``command`` may run, in order, as far as it can be told."""
    walker = _Walker(context)
    walker.script(command, Scope(context.environment, context.cwd))
    return walker.found


class _Walker(Expander):
    """Walks syntax trees; ``found`` grows."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.found: list[Run] = []
        self.parser = grammar.parser()
        self.left = _MOST_STEPS

    def script(self, text: str, scope: Scope) -> str:
        """Run a whole script in ``scope``."""
        try:
            source = text.encode()
        except UnicodeEncodeError:
            return UNKNOWN  # half a character, which no command line holds
        if len(source) > LONGEST or not words.RESERVED.isdisjoint(text):
            return UNKNOWN
        self.depth += 1
        root = self.parser.parse(source).root_node
        made = self.block(syntax.before_errors(root), scope, None)
        self.depth -= 1
        return made

    def block(self, statements: Sequence[Node], scope: Scope, stdin: str | None) -> str:
        """Run statements one after another; answers what they print."""
        made: list[str] = []
        for at, statement in enumerate(statements):
            if scope.ended:
                break
            if not statement.is_named:
                continue
            following = statements[at + 1].type if at + 1 < len(statements) else ""
            where = scope.copy() if following == "&" else scope
            made.append(self.statement(statement, where, stdin))
        return UNKNOWN if any(UNKNOWN in text for text in made) else "".join(made)

    def statement(self, node: Node, scope: Scope, stdin: str | None) -> str:
        """Run one statement; answers what it prints, UNKNOWN when only running would tell."""
        if self.depth >= DEEPEST or self.left <= 0:
            return UNKNOWN
        self.depth += 1
        self.left -= 1
        handler = getattr(self, f"on_{node.type}", None)
        if handler is not None:
            made = str(handler(node, scope, stdin))
        else:
            self.nested(node, scope)
            made = UNKNOWN
        self.depth -= 1
        return made

    # Statements, by the grammar's names.

    def on_comment(self, _node: Node, _scope: Scope, _stdin: str | None) -> str:
        return ""

    def on_compound_statement(self, node: Node, scope: Scope, stdin: str | None) -> str:
        if node.children and node.children[0].type == "((":
            self.nested(node, scope)
            return ""
        return self.block(node.children, scope, stdin)

    on_do_group = on_else_clause = on_compound_statement

    def on_subshell(self, node: Node, scope: Scope, stdin: str | None) -> str:
        return self.block(node.children, scope.copy(), stdin)

    def on_negated_command(self, node: Node, scope: Scope, stdin: str | None) -> str:
        return self.block(node.children, scope, stdin)

    def on_function_definition(self, node: Node, scope: Scope, _stdin: str | None) -> str:
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if name is not None and body is not None:
            scope.functions[syntax.text(name)] = body
        return ""

    def on_list(self, node: Node, scope: Scope, stdin: str | None) -> str:
        """``a && b || c``, which the grammar nests to the left."""
        steps: list[tuple[str, Node]] = []
        while node.type == "list" and len(node.children) >= 3:  # noqa: PLR2004 - left, sign, right
            steps.append((node.children[1].type, node.children[-1]))
            node = node.children[0]
        made = [self.statement(node, scope, stdin)]
        certain = not syntax.is_question(node)
        skipped: list[Scope] = []
        for sign, right in reversed(steps):
            if sign == "&&" and not certain:
                skipped.append(scope.copy())
            after = scope.copy()
            made.append(self.statement(right, after, stdin))
            if sign == "||":
                if not after.ended:
                    skipped.append(after)
                certain = True
            else:
                if not after.ended:
                    scope.become(after)
                certain = certain and not syntax.is_question(right)
        if skipped:
            scope.merge([scope.copy(), *skipped])
        return UNKNOWN if len(made) > 1 else made[0]

    def on_pipeline(self, node: Node, scope: Scope, stdin: str | None) -> str:
        return self.pipe(node.children, scope, stdin)

    def pipe(self, nodes: Sequence[Node], scope: Scope, stdin: str | None) -> str:
        """Each part runs in a shell of its own and reads what the one before printed."""
        for node in nodes:
            if node.is_named:
                stdin = self.statement(node, scope.copy(), stdin)
        return UNKNOWN if stdin is None else stdin

    def on_if_statement(self, node: Node, scope: Scope, stdin: str | None) -> str:
        branches: list[Scope] = []
        conditions, bodies, has_else = syntax.clauses(node)
        for condition, body in zip(conditions, bodies, strict=True):
            self.block(condition, scope, stdin)
            branch = scope.copy()
            self.block(body, branch, stdin)
            branches.append(branch)
        if not has_else:
            branches.append(scope.copy())
        scope.merge(branches)
        return UNKNOWN

    def on_case_statement(self, node: Node, scope: Scope, stdin: str | None) -> str:
        branches = [scope.copy()]
        for child in node.named_children:
            if child.type != "case_item":
                self.nested(child, scope)
                continue
            branch = scope.copy()
            values = child.children_by_field_name("value")
            body = [part for part in child.children if part not in values]
            self.block(body, branch, stdin)
            branches.append(branch)
        scope.merge(branches)
        return UNKNOWN

    def on_for_statement(self, node: Node, scope: Scope, stdin: str | None) -> str:
        variable, body = node.child_by_field_name("variable"), node.child_by_field_name("body")
        if variable is None or body is None:
            return UNKNOWN
        values = [
            word
            for value in node.children_by_field_name("value")
            for word in self.expand(value, scope)
        ]
        if not any(child.type == "in" for child in node.children) or node.children[0].type != "for":
            values = [UNKNOWN]
        if len(values) > _MOST_ROUNDS:
            return UNKNOWN
        return self.loop(body, scope, stdin, [{syntax.text(variable): value} for value in values])

    def loop(
        self, body: Node, scope: Scope, stdin: str | None, rounds: Iterable[dict[str, str]]
    ) -> str:
        """Run ``body`` once for each set of variables."""
        made: list[str] = []
        for variables in rounds:
            if self.left <= 0:
                break
            scope.variables |= variables
            made.append(self.statement(body, scope, stdin))
            ended, scope.ended = scope.ended, ""
            if ended in {"exit", "return"}:
                scope.ended = ended
            if ended and ended != "continue":
                break
        return UNKNOWN if any(UNKNOWN in text for text in made) else "".join(made)

    def on_while_statement(self, node: Node, scope: Scope, stdin: str | None) -> str:
        """The first round; all of them when ``read`` takes lines that are known."""
        body = node.child_by_field_name("body")
        conditions = node.children_by_field_name("condition")
        if body is None or not conditions:
            return UNKNOWN
        names = self.read_names(conditions[0], scope)
        if names and stdin is not None and UNKNOWN not in stdin:
            lines = [line.split(maxsplit=len(names) - 1) for line in stdin.splitlines()]
            filled = [[*line, *[""] * (len(names) - len(line))] for line in lines[:_MOST_ROUNDS]]
            rounds = [dict(zip(names, line, strict=True)) for line in filled]
            return self.loop(body, scope, None, rounds)
        before = scope.copy()
        self.block(conditions, scope, stdin)
        self.statement(body, scope, stdin)
        scope.ended = ""
        scope.merge([before, scope.copy()])
        return UNKNOWN

    def on_c_style_for_statement(self, node: Node, scope: Scope, stdin: str | None) -> str:
        body = node.child_by_field_name("body")
        names = [part for part in node.children_by_field_name("initializer") if part.is_named]
        for part in names:
            name = part.child_by_field_name("name")
            scope.assign(syntax.text(name if name is not None else part), UNKNOWN)
        if body is not None:
            self.statement(body, scope, stdin)
        return UNKNOWN

    def read_names(self, node: Node, scope: Scope) -> list[str]:
        """The variables that a ``read`` command fills, when ``node`` is one."""
        if node.type != "command":
            return []
        spoken = [word for part in syntax.words_of(node) for word in self.expand(part, scope)]
        if spoken[:1] != ["read"] or any(w.startswith("-") and w != "-r" for w in spoken[1:]):
            return []
        return [word for word in spoken[1:] if word != "-r"]

    def on_redirected_statement(self, node: Node, scope: Scope, stdin: str | None) -> str:
        body = node.child_by_field_name("body")
        redirects = [child for child in node.named_children if child != body]
        pieces = [part for part in redirects if part.type == "heredoc_redirect"]
        for redirect in redirects:
            stdin = self.redirected(redirect, scope, stdin)
        made = "" if body is None else self.fed(node, body, pieces, scope, stdin)
        if any(syntax.hides_output(redirect) for redirect in redirects):
            made = ""
        for piece in pieces:
            for child in piece.children:
                if child.type == "pipeline":
                    made = self.pipe(child.children, scope, made)
            right = piece.child_by_field_name("right")
            if right is not None:
                self.statement(right, scope, None)
                made = UNKNOWN
        return made

    def fed(
        self, node: Node, body: Node, pieces: Sequence[Node], scope: Scope, stdin: str | None
    ) -> str:
        """Run what is redirected, with the words that stand behind its here-documents."""
        extra = [
            word
            for piece in pieces
            for argument in piece.children_by_field_name("argument")
            for word in self.expand(argument, scope)
        ]
        lost = syntax.between(node, body, node.children[1])
        if lost == b"-":
            extra.insert(0, "-")  # the grammar drops a lone dash before a here-document
        elif lost:
            return UNKNOWN
        if body.type == "command":
            return self.command(body, scope, stdin, extra)
        return self.statement(body, scope, stdin)

    def redirected(self, node: Node, scope: Scope, stdin: str | None) -> str | None:
        """What a redirection makes of the input."""
        if node.type == "herestring_redirect":
            values = node.named_children
            return words.plain(self.piece(values[-1], scope)) + "\n" if values else UNKNOWN
        if node.type == "heredoc_redirect":
            return self.heredoc(node, scope)
        self.nested(node, scope)
        reads = any(child.type in {"<", "<&"} for child in node.children)
        return UNKNOWN if reads else stdin

    def heredoc(self, node: Node, scope: Scope) -> str:
        """The text of a here-document; without quotes, what is in it is expanded."""
        start = next((part for part in node.children if part.type == "heredoc_start"), None)
        body = next((part for part in node.children if part.type == "heredoc_body"), None)
        if start is None or body is None:
            return UNKNOWN if start is None else ""
        if any(mark in syntax.text(start) for mark in "'\"\\"):
            text = syntax.text(body)
        else:
            text = self.with_expansions(body, scope, words.in_heredoc)
            if body.child_count == 0 and ("$" in text or "`" in text):
                return UNKNOWN  # the grammar misses an expansion right after the first tab
        if any(child.type == "<<-" for child in node.children):
            text = "\n".join(line.lstrip("\t") for line in text.split("\n"))
        return text

    def on_variable_assignment(self, node: Node, scope: Scope, _stdin: str | None) -> str:
        name, value = self.assignment(node, scope)
        scope.assign(name, value)
        return ""

    def on_variable_assignments(self, node: Node, scope: Scope, _stdin: str | None) -> str:
        for child in node.named_children:
            self.on_variable_assignment(child, scope, None)
        return ""

    def on_declaration_command(self, node: Node, scope: Scope, _stdin: str | None) -> str:
        """``export``, ``declare``, ``local``, ``readonly``."""
        exports = syntax.text(node.children[0]) == "export" or any(
            syntax.text(child) == "-x" for child in node.named_children
        )
        for child in node.named_children:
            name = syntax.text(child)
            if child.type == "variable_assignment":
                name, value = self.assignment(child, scope)
                scope.assign(name, value)
            elif child.type != "variable_name":
                self.nested(child, scope)
                continue
            if exports:
                scope.exported.add(name)
        return ""

    def on_unset_command(self, node: Node, scope: Scope, _stdin: str | None) -> str:
        for child in node.named_children:
            scope.assign(syntax.text(child), "")
            scope.exported.discard(syntax.text(child))
        return ""

    def on_command(self, node: Node, scope: Scope, stdin: str | None) -> str:
        return self.command(node, scope, stdin, [])

    # Commands and words.

    def command(self, node: Node, scope: Scope, stdin: str | None, extra: Sequence[str]) -> str:
        """Run one simple command; ``extra`` are words that stand after a here-document."""
        if any(syntax.between(node, *pair) for pair in pairwise(node.children)):
            return UNKNOWN
        changes: dict[str, str | None] = {}
        for child in node.named_children:
            if child.type == "variable_assignment":
                name, value = self.assignment(child, scope)
                changes[name] = value
            elif child.type.endswith("_redirect"):
                stdin = self.redirected(child, scope, stdin)
        spoken = [word for part in syntax.words_of(node) for word in self.expand(part, scope)]
        spoken.extend(extra)
        if not spoken:
            return UNKNOWN
        made = self.execute(spoken, changes, scope, stdin)
        return "" if any(syntax.hides_output(child) for child in node.named_children) else made

    def execute(
        self, spoken: list[str], changes: dict[str, str | None], scope: Scope, stdin: str | None
    ) -> str:
        """Do what the words of a command say: a builtin, a function, or a program."""
        name, *arguments = spoken
        if name in _ENDING:
            scope.ended = name
        elif name in {"cd", "pushd"}:
            scope.change_directory(arguments)
        elif name == "popd":
            scope.cwd = None
        elif _fills_variables(name, arguments):
            scope.lose(*_filled(name, arguments, scope))
        elif name == "eval":
            return self.script(" ".join(arguments), scope)
        elif name in scope.functions:
            return self.call(scope.functions[name], arguments, scope, stdin)
        else:
            program = Program(words=tuple(spoken), environment=changes, stdin=stdin)
            for launched in unwrap(program):
                self.launch(launched, scope)
            if name == "exec":
                scope.ended = "exit"
            return output.of(program.words, stdin)
        return ""

    def call(self, body: Node, arguments: Sequence[str], scope: Scope, stdin: str | None) -> str:
        """Call a function of the script's own."""
        own = {*map(str, range(1, 10)), *syntax.local_names(body)}
        outer = {name: scope.variables.get(name) for name in own}
        scope.variables |= {str(at): value for at, value in enumerate(arguments[:9], start=1)}
        made = self.statement(body, scope, stdin)
        for name, value in outer.items():
            if value is None:
                scope.variables.pop(name, None)
            else:
                scope.variables[name] = value
        scope.ended = "" if scope.ended == "return" else scope.ended
        return made

    def launch(self, launched: Program | Script, scope: Scope) -> None:
        """Note a program; read the script of a shell."""
        program = launched if isinstance(launched, Program) else launched.program
        environment = scope.environment(program.environment)
        cwd = scope.cwd if program.cwd is None else scope.path(program.cwd)
        if isinstance(launched, Program):
            self.found.append(Run(program=launched, context=self.context.at(cwd, environment)))
        elif self.depth < DEEPEST:
            inner = Scope(environment, cwd)
            inner.variables |= {
                str(at): value for at, value in enumerate(launched.parameters[:9], start=1)
            }
            self.script(launched.text, inner)


def _fills_variables(name: str, arguments: Sequence[str]) -> bool:
    """Whether a command changes variables in a way that only running it would tell."""
    if name == "printf":
        return list(arguments[:1]) == ["-v"]
    return name in {"read", "mapfile", "readarray", "getopts", "let", "source", "."}


def _filled(name: str, arguments: Sequence[str], scope: Scope) -> list[str]:
    """The variables that such a command changes; a script that is sourced may change any."""
    if name in {"source", "."}:
        return list(scope.variables)
    if name == "let":
        return [changed for word in arguments for changed in words.changed(word)]
    return [word.partition("=")[0] for word in arguments]
