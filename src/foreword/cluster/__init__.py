"""The stages' work on a Ray cluster: tasks read and cut papers, a pool of actors scores pairs.

Ray is imported when the first of it is to be done, and only here. `docs/design/cluster.md` says why
it is done this way.
"""

from foreword.cluster.connection import Cluster
from foreword.cluster.work import ray_engines

__all__ = ["Cluster", "ray_engines"]
