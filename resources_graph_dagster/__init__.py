"""The Dagster code location: sweeps that people run, watch and understand.

Importing the package alone does not import Dagster, which takes seconds and a hundred megabytes:
what watches Dagster's programs needs none of it.
"""

import warnings

# Used on purpose, with a pinned Dagster; a warning at every load would tell nobody anything.
# (``owners`` is not used here: the sensor decorator passes it on.)
warnings.filterwarnings("ignore", r"Parameter `(backfill_policy|owners)`")
