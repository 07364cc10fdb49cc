"""What in a text would steer a model: its control tokens, and words that give it orders."""

from __future__ import annotations

import re
from typing import NamedTuple

# Tokens and tags that models or their harnesses take for their own; each is broken up after its
# first character. Chat templates: ChatML and GPT (<|…|>), Llama ([INST], <<SYS>>, <s>), Gemma
# (<start_of_turn>), DeepSeek (ChatML with U+FF5C); harnesses: tags around system text, tool calls
# and results.
_CONTROL = re.compile(
    r"""
    <(?=[|\uFF5C][\w\u2581 -]{1,40}[|\uFF5C]>)
    | <(?=<\s*/?\s*SYS\s*>>)
    | \[(?=/?\s*(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\s*\])
    | <(?=/?(?:start_of_turn|end_of_turn|bos|eos|s|unk|pad)>)
    | <(?=/?(?:antml:)?(?:system(?:[-_](?:reminder|prompt|message))?|function_calls|
        function_results?|invoke|tool_(?:use|call|result|response|output)s?|thinking|assistant|
        human|im_(?:start|end))\b[^<>]{0,80}>)
    """,
    re.VERBOSE | re.IGNORECASE,
)

_BEFORE = r"(?:previous|prior|above|earlier|preceding|foregoing|existing|system|original)"
_RULES = r"(?:instruction|prompt|direction|directive|rule|guideline|guardrail|message)s?"
_MODEL = (
    r"(?:(?:(?:a\.?i\.?|llm|language model|coding|autonomous) (?:agent|assistant|model|bot)s?)"
    r"|claude|copilot|codex|chatgpt|gemini|gpt-?\d\S{0,9}|llms?|the (?:assistant|agent|model))"
)
_VERB = (
    r"(?:run|execute|ignore|send|open|delete|fetch|curl|merge|approve|commit|push|install|read|"
    r"print|reveal|upload|post|follow|obey|add|disregard)"
)


class _Order(NamedTuple):
    """How orders to a model are worded; one of the ``signs`` is in any text that holds such."""

    signs: tuple[str, ...]
    pattern: re.Pattern[str]


def _order(signs: str, pattern: str) -> _Order:
    return _Order(tuple(signs.split("|")), re.compile(pattern))


_NAMES = "agent|assistant|a.i.|ai |model|bot|claude|copilot|codex|gpt|gemini|llm"

# For text of one case with single spaces. The signs are there for speed: they leave out nearly
# everything that people write before a pattern is tried.
_ORDERS = (
    _order(
        "ignore|disregard|forget|override|bypass|discard",
        rf"\b(?:ignore|disregard|forget|override|bypass|discard)\b[^.\n]{{0,30}}\b{_BEFORE}\b"
        rf"[^.\n]{{0,20}}\b{_RULES}",
    ),
    _order(
        "ignore|disregard|forget|override",
        r"\b(?:ignore|disregard|forget|override) (?:(?:all|any|your|these|those|my|the) ){1,3}"
        rf"(?:{_RULES}) (?:and|you|above|below|so|now)\b",
    ),
    _order(
        "instructions|prompt",
        r"\b(?:new|updated|revised|important|urgent|real|actual) (?:system )?"
        rf"(?:instructions|prompt) ?(?:for|to) (?:(?:the|all|any|every) )?(?:{_MODEL}|you)\b",
    ),
    _order(
        "instructions|prompt",
        r"\b(?:new|updated|revised) (?:system )?(?:instructions|prompt) ?:",
    ),
    _order("you are now", r"\byou are now (?:in |an? |the |no longer )"),
    _order(
        "from now on|henceforth",
        r"\b(?:from now on|henceforth),? you (?:are|must|will|should|shall)\b",
    ),
    _order(
        "your ",
        r"\b(?:reveal|print|show|repeat|output|leak|send)\b[^.\n]{0,20}"
        r"\byour (?:system|hidden|initial) (?:prompt|instructions|message)",
    ),
    _order(
        "the user|the human|the developer",
        r"\b(?:do not|don't|never|without) (?:tell|inform|mention|notify|alert|ask|show)(?:ing)?\b"
        r"[^.\n]{0,20}\bthe (?:user|human|developer)\b",
    ),
    _order(
        _NAMES,
        r"\b(?:note|message|attention|instructions?|reminder)\b[^.\n]{0,12}\b(?:to|for) "
        rf"(?:(?:any|all|the|every) )?{_MODEL}",
    ),
    _order("if you|when you", rf"\b(?:if|when) you(?:'re| are) (?:an? )?{_MODEL}"),
    _order(
        _NAMES,
        rf"(?:^|[.:!\n>] ?)(?:(?:dear |hey |hi )?{_MODEL} ?[,:]|@{_MODEL}) ?"
        rf"(?:please|you|first|now|{_VERB})\b",
    ),
    _order(
        _NAMES,
        rf"\b{_MODEL} (?:must|shall|has to|needs? to|should) (?:now |first |also |always )?"
        rf"{_VERB}\b",
    ),
    _order("jailbreak|developer mode", r"\bjailbreak\b|\bdeveloper mode enabled\b"),
    _order(
        "system|assistant|human|user",
        r"(?:^|\n) ?(?:system|assistant|human|user) ?(?:prompt|message|override)? ?: ?"
        r"(?:you|ignore|please|do)\b",
    ),
)
_SIGNS = tuple((sign, order.pattern) for order in _ORDERS for sign in order.signs)
_SPACE = re.compile(r"[^\S\n]{2,}|\t")


def defused(text: str) -> tuple[str, int]:
    r"""``text`` with its control tokens broken up by a ``\``, and how many there were."""
    return _CONTROL.subn(lambda found: f"{found[0]}\\", text)


def gives_orders(text: str) -> bool:
    """Whether ``text`` (without invisible characters) reads as orders to a model."""
    plain = _SPACE.sub(" ", text.replace("\u2019", "'").lower())
    patterns = dict.fromkeys(pattern for sign, pattern in _SIGNS if sign in plain)
    return any(pattern.search(plain) is not None for pattern in patterns)
