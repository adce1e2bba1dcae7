"""Makes the table from build/: words.json, words.npy, runes.bin. Usage: fit.py TABLE"""
import json
import sys

import numpy as np
import pack

DIM, GRAMS, VERSION = 256, 4096, 1
FREQUENT = 1e-3  # the frequency at which a word weighs half (a in Arora et al. 2017, a/(a+p))
WHITEN = 0.25  # directions are divided by their variance to this power: common ones say little


def unit(x):
    return x / np.maximum(np.linalg.norm(x, axis=-1, keepdims=True), 1e-9)


def centre(x, lang):
    """Each language on its own mean: that is what makes a word near its translation."""
    x = x.astype(np.float32)
    for l in np.unique(lang):
        x[lang == l] -= x[lang == l].mean(0)
    return x


def basis(x):
    """The main directions of x, weighted, each with its largest number positive, so that every machine finds the same."""
    lam, u = np.linalg.eigh(np.cov(x.T.astype(np.float64)))
    u, lam = u[:, ::-1][:, :DIM], lam[::-1][:DIM]
    u = u * np.sign(u[np.abs(u).argmax(0), np.arange(DIM)])
    return (u * lam**-WHITEN).astype(np.float32)


def trigram_rows():
    """A direction of its own for each trigram: names that no list holds are near themselves and no other."""
    return unit(np.random.Generator(np.random.PCG64(7)).standard_normal((GRAMS, DIM)).astype(np.float32))


def main(path):
    words, freq, lang = (np.array(c) for c in zip(*json.load(open("build/words.json"))))
    freq = freq.astype(np.float64)
    x = centre(np.load("build/words.npy")[: len(words)], lang)
    v = unit(x @ basis(x)) * (FREQUENT / (FREQUENT + freq))[:, None]
    pack.pack(path, list(words), open("build/runes.bin", "rb").read(), np.concatenate([v, trigram_rows()]), GRAMS, VERSION)


if __name__ == "__main__":
    main(sys.argv[1])
