#!/usr/bin/python3
"""Writes test/data/ml: four tables that ship with scikit-learn (UCI, CC BY 4.0), split, and what scikit-learn and XGBoost score on them.

Needs Debian's python3-sklearn and python3-xgboost. Run from the root of the repository: /usr/bin/python3 scripts/make-ml-tables.py
"""
import json
import pathlib

import sklearn
import xgboost
from sklearn import datasets
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

folder = pathlib.Path("test/data/ml")
folder.mkdir(parents=True, exist_ok=True)
scores = {"sklearn": sklearn.__version__, "xgboost": xgboost.__version__, "tables": {}}
for name in ("iris", "wine", "breast_cancer", "digits"):
    data = getattr(datasets, f"load_{name}")()
    x, x_test, y, y_test = train_test_split(
        data.data, data.target, test_size=0.3, random_state=0, stratify=data.target
    )
    rows = [("train", r, t) for r, t in zip(x, y)] + [("test", r, t) for r, t in zip(x_test, y_test)]
    lines = [",".join([split, f"c{label}", *(f"{value:g}" for value in row)]) for split, row, label in rows]
    (folder / f"{name}.csv").write_text("\n".join(lines) + "\n")
    linear = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)).fit(x, y)
    boosted = xgboost.XGBClassifier(n_estimators=100, n_jobs=1).fit(x, y)
    scores["tables"][name] = {
        "linear": 100 * linear.score(x_test, y_test),
        "boosted": 100 * boosted.score(x_test, y_test),
    }
(folder / "reference.json").write_text(json.dumps(scores, indent=2) + "\n")
