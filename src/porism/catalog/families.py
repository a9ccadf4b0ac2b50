"""All systems, family by family, baselines first."""

from __future__ import annotations

from porism.catalog.approach0 import APPROACH0
from porism.catalog.dprl import DPRL
from porism.catalog.lab_baselines import BASELINES
from porism.catalog.mathdowsers import MATHDOWSERS
from porism.catalog.mirmu import MIRMU
from porism.catalog.other_teams import OTHER_TEAMS
from porism.catalog.own import OWN
from porism.catalog.system import System

EVERY_SYSTEM: dict[str, System] = {
    **BASELINES,
    **MATHDOWSERS,
    **APPROACH0,
    **DPRL,
    **MIRMU,
    **OTHER_TEAMS,
    **OWN,
}
