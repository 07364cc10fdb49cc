"""The Dagster code location: sweeps that people run, watch and understand."""

import warnings

from dagster import BetaWarning

# Used on purpose, with a pinned Dagster; a warning at every load would tell nobody anything.
# (``owners`` is not used here: the sensor decorator passes it on.)
warnings.filterwarnings("ignore", r"Parameter `(backfill_policy|owners)`", BetaWarning)
