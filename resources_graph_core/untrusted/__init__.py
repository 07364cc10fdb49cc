"""Text that strangers wrote, made fit to be read by a model: nothing hides in it, nothing acts.

Whoever can open an issue can write to every agent that reads it. So before a model sees any text
from GitHub, :class:`Treatment` goes over it once:

- what is invisible is taken out before anything is looked for, and shown where it stood;
- what looks like a credential gives way to a placeholder that says of what kind it was;
- tokens that steer a model are broken up, so that they are text like any other;
- what reads as orders to a model is not removed but named, in words of ours.

None of it is a verdict: a model is told what stands there, and to treat it as data.
"""

from resources_graph_core.untrusted.treatment import Treated, Treatment

__all__ = ["Treated", "Treatment"]
