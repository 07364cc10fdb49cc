"""How a model sees a Cache Read: pure functions from what memory holds to one answer.

Strangers wrote what is on GitHub, and a model may take text for orders. So an answer has two kinds
of lines. Those that start with ``|`` quote GitHub; all others are ours, and hold of GitHub's no
more than words, numbers and times of a known form. Quoted text has been through
:mod:`resources_graph_core.untrusted`, so no character in it can begin another line.

An answer stays within a budget of tokens. Nothing is left out in silence: it ends with what is left
and how to get it, and the pages together hold everything. The same answer comes as data, for
programs; there JSON's own quotes mark what is GitHub's.
"""

from resources_graph_core.render_model.ask import DEFAULT_BUDGET, Ask, asked
from resources_graph_core.render_model.compose import Composed, answer, as_data
from resources_graph_core.render_model.shape import Answer
from resources_graph_core.render_model.text import as_text

__all__ = ["DEFAULT_BUDGET", "Answer", "Ask", "Composed", "answer", "as_data", "as_text", "asked"]
