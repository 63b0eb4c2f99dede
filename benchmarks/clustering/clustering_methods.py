"""Clustering steps that people use today, on five principal components, and what knowing the truth gives.

Each takes waveforms (N, 32, C) float32 in noise sd and returns labels (N,) int64, canonical. The oracle,
which also takes the true labels, is a yardstick and not a method.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from importlib.util import find_spec

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import HDBSCAN
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import pairwise_distances_argmin
from sklearn.mixture import BayesianGaussianMixture, GaussianMixture
from sklearn.model_selection import StratifiedKFold, cross_val_predict

from ncpgui.core.partition import canonical

Waveforms = NDArray[np.float32]
Labels = NDArray[np.int64]

N_COMPONENTS = 5
MAX_UNITS = 12
SEED = 0
VGMM = "PCA-5 variational GMM"
ORACLE = "oracle: LDA on the true labels"


def components(waveforms: Waveforms) -> NDArray[np.float64]:
    """First five principal components of the waveforms: (N, 5), of fewer spikes or samples fewer."""
    flat = waveforms.reshape(len(waveforms), -1).astype(np.float64)
    return PCA(min(N_COMPONENTS, *flat.shape), random_state=SEED).fit_transform(flat)


def variational_gmm(waveforms: Waveforms) -> Labels:
    """The paper's vGMFM: variational Gaussian mixture, Dirichlet process weights, 12 components at most."""
    model = BayesianGaussianMixture(
        n_components=min(MAX_UNITS, len(waveforms)), max_iter=500, n_init=3, random_state=SEED
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return canonical(model.fit_predict(components(waveforms)))


def gmm_bic(waveforms: Waveforms) -> Labels:
    """Gaussian mixture with the number of components, 1 to 12, of the smallest BIC.

    `reg_covar` keeps components from collapsing on two or three spikes; noise alone has variance 1 or more.
    """
    features = components(waveforms)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        fits = [
            GaussianMixture(k, n_init=3, reg_covar=0.1, random_state=SEED).fit(features)
            for k in range(1, min(MAX_UNITS, len(features)) + 1)
        ]
    return canonical(min(fits, key=lambda fit: fit.bic(features)).predict(features))


def isosplit(waveforms: Waveforms) -> Labels:
    """Isosplit6, the clustering of MountainSort 5 (Magland & Barnett, 2015)."""
    from isosplit6 import isosplit6

    return canonical(isosplit6(components(waveforms)))


def hdbscan(waveforms: Waveforms) -> Labels:
    """HDBSCAN with clusters of 5 spikes or more; its noise goes to the cluster of the nearest mean."""
    features = components(waveforms)
    found = HDBSCAN(copy=True).fit_predict(features)
    clusters = np.unique(found[found >= 0])
    if len(clusters) == 0:
        return np.zeros(len(found), dtype=np.int64)
    means = np.stack([features[found == cluster].mean(axis=0) for cluster in clusters])
    nearest = clusters[pairwise_distances_argmin(features, means)]
    return canonical(np.where(found >= 0, found, nearest))


def oracle(waveforms: Waveforms, truth: Labels) -> Labels:
    """Unit of each spike by LDA on all samples, trained on the true units of other spikes (5 folds).

    The covariance is shrunk (Ledoit & Wolf, 2004), there being about as many samples as spikes. A method that
    knows from elsewhere what spikes and noise look like can do better than what so few spikes teach.
    """
    if truth.max() == 0:
        return np.zeros_like(truth)
    model = LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto")
    folds = StratifiedKFold(5, shuffle=True, random_state=SEED)
    with warnings.catch_warnings():
        for message in ("The least populated class", "Only one sample available"):  # units of few spikes
            warnings.filterwarnings("ignore", message, UserWarning)
        predicted = cross_val_predict(model, waveforms.reshape(len(waveforms), -1), truth, cv=folds)
    return canonical(predicted)


METHODS: dict[str, Callable[[Waveforms], Labels]] = {
    VGMM: variational_gmm,
    "PCA-5 GMM, BIC": gmm_bic,
    "PCA-5 HDBSCAN": hdbscan,
}
if find_spec("isosplit6"):  # of the extra "bench"
    METHODS["PCA-5 isosplit6"] = isosplit
