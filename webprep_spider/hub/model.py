"""Scores links before they are fetched: loads a trained model and applies it with NumPy."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np

from webprep_spider.exceptions import ModelError
from webprep_spider.hub.archive import read_archive, write_archive
from webprep_spider.hub.features import SEED_FEATURES, feature_matrix
from webprep_spider.hub.svm import RbfSvm, Scaling
from webprep_spider.hub.tables import SEED_TABLES, Tables

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path
    from typing import Self

    from numpy.typing import NDArray

SHIPPED = ("default", "seed")
"""Names of the models that come with the package."""

BUCKETS = 5
"""Number of priority buckets; few, because Scrapy keeps a queue file open for each priority under JOBDIR."""


class HubModel:
    """Tells hub pages from topic pages by address and link text.

    :param names: the features the model was trained on, in column order.
    :param sigmoid: a and b of the calibrated probability ``1 / (1 + exp(-(a * decision + b)))``.
    :param record: data, seed, command and scores of the training, as the model file keeps them.
    """

    def __init__(
        self,
        scaling: Scaling,
        svm: RbfSvm,
        *,
        names: Sequence[str] = SEED_FEATURES,
        tables: Tables = SEED_TABLES,
        sigmoid: tuple[float, float] = (1.0, 0.0),
        record: Mapping[str, Any] | None = None,
    ) -> None:
        self.names = tuple(names)
        self.tables = tables
        self.sigmoid = sigmoid
        self.record = dict(record or {})
        self._scaling = scaling
        self._svm = svm
        self._columns = [SEED_FEATURES.index(name) for name in self.names]

    @classmethod
    def load(cls, path: str | Path | None = None) -> Self:
        """The model at ``path``, or a shipped one by its name: ``default`` (also for ``None``) or ``seed``.

        :raises ModelError: naming the file and what is wrong with it.
        """
        name = "default" if path is None else str(path)
        if name in SHIPPED:
            path = str(files("webprep_spider") / "data" / f"hub-{name}.npz")
        assert path is not None
        header, arrays = read_archive(path)
        try:
            if header["kind"] != "rbf-svm":
                raise ModelError(f"{path}: a model of kind {header['kind']!r}, not a hub model")
            unknown = [feature for feature in header["features"] if feature not in SEED_FEATURES]
            if unknown:
                raise ModelError(f"{path}: needs features that this version does not know: {', '.join(unknown)}")
            return cls(
                Scaling(arrays["low"], arrays["high"]),
                RbfSvm(arrays["vectors"].astype(np.float64), arrays["coef"], header["gamma"], header["rho"]),
                names=header["features"],
                tables=Tables(**{table: tuple(values) for table, values in header["tables"].items()}),
                sigmoid=(header["sigmoid"][0], header["sigmoid"][1]),
                record=header["record"],
            )
        except (KeyError, TypeError, IndexError, AttributeError) as error:
            raise ModelError(f"{path}: the header lacks or misuses {error}") from None

    def save(self, path: str | Path) -> None:
        """Write the model; :meth:`load` reads it back."""
        header = {
            "kind": "rbf-svm",
            "features": list(self.names),
            "tables": {name: list(getattr(self.tables, name)) for name in ("file_name", "extension", "parameter")},
            "gamma": self._svm.gamma,
            "rho": self._svm.rho,
            "sigmoid": list(self.sigmoid),
            "record": self.record,
        }
        arrays: dict[str, NDArray[Any]] = {
            "low": self._scaling.low,
            "high": self._scaling.high,
            "vectors": self._svm.vectors.astype(np.float32),
            "coef": self._svm.coef,
        }
        write_archive(path, header, arrays)

    def decision(self, links: Sequence[tuple[str, str]], referrer: str | None = None) -> NDArray[np.float64]:
        """A value for each ``(url, link text)``: above 0 for hub pages, NaN for what no crawler can fetch.

        The links are those of one page, ``referrer`` its address. A batch is much cheaper than its links one by one
        and gives the same values.
        """
        table = feature_matrix(links, referrer, tables=self.tables)[:, self._columns]
        return self._svm.decide(self._scaling(table))

    def probability(self, links: Sequence[tuple[str, str]], referrer: str | None = None) -> NDArray[np.float64]:
        """The chance that each link leads to a hub page, calibrated on sites unseen in training; NaN as above."""
        slope, shift = self.sigmoid
        probability: NDArray[np.float64] = 1.0 / (1.0 + np.exp(-(slope * self.decision(links, referrer) + shift)))
        return probability


def bucket(probability: float) -> int:
    """The priority bucket of a link, 0 (surely a topic page, or not fetchable) to 4 (surely a hub page)."""
    return int(min(probability * BUCKETS, BUCKETS - 1)) if probability > 0 else 0
