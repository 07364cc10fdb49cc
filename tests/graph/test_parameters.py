"""A hook hands parameters to the embedded engine in the very text that its client writes."""

from __future__ import annotations

from falkordb.helpers import stringify_param_value
from hypothesis import given
from hypothesis import strategies as st

from resources_graph_core.graph.parameters import with_header
from resources_graph_core.graph.values import clean_parameters

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.from_regex("[a-z]+", fullmatch=True), inner, max_size=3)
    ),
)


@given(VALUES, VALUES)
def test_the_same_text_as_the_client_writes(first: object, second: object) -> None:
    values = clean_parameters({"first": first, "second": second})
    told = "".join(f"{name}={stringify_param_value(value)} " for name, value in values.items())
    assert with_header("RETURN 1", values) == f"CYPHER {told}RETURN 1"
