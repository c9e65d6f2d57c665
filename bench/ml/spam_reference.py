"""tf-idf and logistic regression of scikit-learn on the splits of texts.ts: prints accuracy in points."""
import json
import sys
import time

from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression

train, test = ([json.loads(line) for line in open(path)] for path in sys.argv[1:3])
started = time.process_time()
words = TfidfVectorizer(min_df=2, max_features=50000, token_pattern=r"(?u)\b\w\w+\b")
x = words.fit_transform(row["text"] for row in train)
model = LogisticRegression(max_iter=1000).fit(x, [row["label"] for row in train])
score = model.score(words.transform(row["text"] for row in test), [row["label"] for row in test])
print(json.dumps({"accuracy": 100 * score, "cpuSeconds": time.process_time() - started}))
