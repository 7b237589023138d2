"""Scores links before they are fetched: loads a trained model and applies it with NumPy."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np

from webprep_spider.archive import read_archive, write_archive
from webprep_spider.blas import one_thread
from webprep_spider.exceptions import ModelError
from webprep_spider.hub.address import split_address
from webprep_spider.hub.features import FEATURES, SEED_FEATURES, feature_table
from webprep_spider.hub.grams import GramWeights, LinearSvm, LinearSvms, hash_grams, text_text, url_text
from webprep_spider.hub.libsvm import read_model, read_ranges
from webprep_spider.hub.svm import RbfSvm, Scaling
from webprep_spider.hub.tables import SEED_TABLES, Tables

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path
    from typing import Self

    from numpy.typing import NDArray

    from webprep_spider.hub.address import Address

SHIPPED = ("default", "seed")
"""Names of the models that come with the package."""

_KIND = "hub"


class HubModel:
    """Tells hub pages from topic pages by address and link text.

    The features are scaled and given to an RBF SVM. A stacked model has linear SVMs over character n-grams before it,
    whose decision values are further columns for the RBF SVM and may be added to its own.

    :param names: the features the model was trained on, in column order.
    :param linear: the linear SVMs of a stacked model; none in the seed model.
    :param sigmoid: a and b of the calibrated probability ``1 / (1 + exp(-(a * decision + b)))``.
    :param record: data, seed, command and scores of the training, as the model file keeps them.
    """

    def __init__(
        self,
        scaling: Scaling,
        svm: RbfSvm,
        *,
        names: Sequence[str] = SEED_FEATURES,
        linear: Sequence[LinearSvm] = (),
        tables: Tables = SEED_TABLES,
        sigmoid: tuple[float, float] = (1.0, 0.0),
        record: Mapping[str, Any] | None = None,
    ) -> None:
        self.names = tuple(names)
        self.scaling = scaling
        self.svm = svm
        self.linear = tuple(linear)
        self._machines = LinearSvms(self.linear) if self.linear else None
        self.tables = tables
        self.sigmoid = sigmoid
        self.record = dict(record or {})

    @classmethod
    def load(cls, path: str | Path | None = None) -> Self:
        """The model at ``path``, or a shipped one by its name: ``default`` (also for ``None``) or ``seed``.

        :raises ModelError: naming the file and what is wrong with it.
        """
        name = "default" if path is None else str(path)
        if name in SHIPPED:
            name = str(files("webprep_spider") / "data" / f"hub-{name}.npz")
        header, arrays = read_archive(name)
        if header.get("kind") != _KIND:
            raise ModelError(f"{name}: a model of kind {header.get('kind')!r}, not a hub model")
        try:
            unknown = [feature for feature in header["features"] if feature not in FEATURES]
            if unknown:
                raise ModelError(f"{name}: needs features that this version does not know: {', '.join(unknown)}")
            model = cls(
                Scaling(arrays["low"], arrays["high"], arrays["logs"]),
                RbfSvm(arrays["vectors"], arrays["coef"], header["gamma"], header["rho"]),
                names=header["features"],
                linear=[
                    LinearSvm(
                        GramWeights(arrays[f"grams_{number}"], part["step"]),
                        arrays[f"columns_{number}"],
                        part["bias"],
                        part["read_text"],
                        part.get("direct", 0.0),
                    )
                    for number, part in enumerate(header["linear"])
                ],
                tables=Tables(**{table: tuple(values) for table, values in header["tables"].items()}),
                sigmoid=(header["sigmoid"][0], header["sigmoid"][1]),
                record=header["record"],
            )
            model.decision([("http://a.example/", "text")])  # parts that do not fit each other are found now
            return model
        except (KeyError, TypeError, IndexError, AttributeError, ValueError) as error:
            if isinstance(error, ModelError):
                raise
            raise ModelError(f"{name}: the header lacks or misuses {error}") from None

    @classmethod
    def from_libsvm(cls, model: str | Path, ranges: str | Path, names: Sequence[str] = SEED_FEATURES) -> Self:
        """A model trained elsewhere: files of LibSVM and svm-scale, and the features that their indices stand for.

        Its probability is not calibrated.

        :raises ModelError: if a file is not LibSVM's, or of another kind of SVM.
        """
        return cls(read_ranges(ranges, len(names)), read_model(model, len(names)), names=names)

    def save(self, path: str | Path) -> None:
        """Write the model; :meth:`load` reads it back.

        :raises ModelError: if the file cannot be written.
        """
        header = {
            "kind": _KIND,
            "features": list(self.names),
            "tables": {name: list(getattr(self.tables, name)) for name in ("file_name", "extension", "parameter")},
            "linear": [
                {"step": part.grams.step, "bias": part.bias, "read_text": part.read_text, "direct": part.direct}
                for part in self.linear
            ],
            "gamma": self.svm.gamma,
            "rho": self.svm.rho,
            "sigmoid": list(self.sigmoid),
            "record": self.record,
        }
        arrays: dict[str, NDArray[Any]] = {
            "low": self.scaling.low,
            "high": self.scaling.high,
            "logs": self.scaling.logs,
            "vectors": self.svm.vectors,
            "coef": self.svm.coef,
        }
        for number, part in enumerate(self.linear):
            arrays[f"grams_{number}"] = part.grams.weights
            arrays[f"columns_{number}"] = part.columns
        write_archive(path, header, arrays)

    def decision(self, links: Sequence[tuple[str, str]], referrer: str | None = None) -> NDArray[np.float64]:
        """A value for each ``(url, link text)``: above 0 for hub pages, NaN for what no crawler can fetch.

        The links are those of one page, ``referrer`` its address. A batch is much cheaper than its links one by one
        and gives the same values up to rounding (1e-4).
        """
        with one_thread():
            return self._decision(links, referrer)

    def _decision(self, links: Sequence[tuple[str, str]], referrer: str | None) -> NDArray[np.float64]:
        addresses = [split_address(url) for url, _ in links]
        if not all(addresses):
            return self._decision_of_some(links, addresses, referrer)
        if not links:
            return np.empty(0)
        texts = [text for _, text in links]
        table = self.scaling(feature_table(addresses, texts, referrer, names=self.names, tables=self.tables))
        if self._machines is None:
            return self.svm.decide(table)
        grams = hash_grams([url_text(address) for address in addresses if address], list(map(text_text, texts)))
        linear = self._machines.decide(grams, table)
        values = self.svm.decide(np.concatenate([table, linear], axis=1))
        values += self._machines.direct(linear, [bool(text.strip()) for text in texts])
        return values

    def _decision_of_some(
        self, links: Sequence[tuple[str, str]], addresses: Sequence[Address | None], referrer: str | None
    ) -> NDArray[np.float64]:
        values = np.full(len(links), np.nan)
        places = [place for place, address in enumerate(addresses) if address]
        values[places] = self._decision([links[place] for place in places], referrer)
        return values

    def probability(self, links: Sequence[tuple[str, str]], referrer: str | None = None) -> NDArray[np.float64]:
        """The chance that each link leads to a hub page, calibrated on sites unseen in training; NaN as above."""
        slope, shift = self.sigmoid
        probability: NDArray[np.float64] = 1.0 / (1.0 + np.exp(-(slope * self.decision(links, referrer) + shift)))
        return probability
