"""Writes the table's file; internal/embed/table_file.go describes it and reads it."""
import struct

import numpy as np

MAX_WORD_RUNES = 8


def hash_bytes(b: bytes) -> int:
    h = 2166136261
    for x in b:
        h = (h ^ x) * 16777619 & 0xFFFFFFFF
    return mix(h)


def mix(h: int) -> int:
    h ^= h >> 15
    h = h * 0x2C1B3C6D & 0xFFFFFFFF
    return h ^ h >> 13


def trigrams(word: bytes) -> list[int]:
    w = b"^" + word + b"$"
    if len(word) == 1:
        return [hash_bytes(w)]
    return [hash_bytes(w[i : i + 3]) for i in range(len(w) - 2)]


def quantise(vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows of bytes, 128 more than their numbers, and their scales: a row's largest number is 127, the largest scale 65535."""
    top = np.abs(vectors).max(1)
    q = np.rint(vectors * (127 / np.maximum(top, 1e-12))[:, None]).astype(np.int16) + 128
    return q.astype(np.uint8), np.maximum(np.rint(top * (65535 / top.max())), 1).astype("<u2")


def pack(path: str, words: list[str], runes: bytes, vectors: np.ndarray, grams: int, version: int) -> None:
    """vectors: a row a word, then a row a trigram bucket."""
    rows, dim = vectors.shape
    assert rows == len(words) + grams and rows < 1 << 18
    bits = max(8, int(np.ceil(np.log2(2 * len(words)))))
    slots = np.zeros(1 << bits, "<u4")
    encoded = [w.encode() for w in words]
    for row, w in enumerate(encoded):
        h = hash_bytes(w)
        i = h & (1 << bits) - 1
        while slots[i]:
            i = (i + 1) & (1 << bits) - 1
        slots[i] = (h >> 18 << 18) | (row + 1)
    offs = np.zeros(len(words) + 1, "<u4")
    offs[1:] = np.cumsum([len(w) for w in encoded])
    q, scales = quantise(vectors)
    longest = max(len(w) for w in words if "\u4e00" <= w[0] <= "\u9fff")
    assert longest <= MAX_WORD_RUNES
    sections = [runes, slots.tobytes(), offs.tobytes(), b"".join(encoded), scales.tobytes(), q.tobytes()]
    at, offsets = 64, []
    for s in sections:
        at = (at + 63) // 64 * 64
        offsets.append(at)
        at += len(s)
    head = struct.pack("<8sHHIIIII6III", b"SILTTAB1", dim, bits, rows, len(words), grams, (len(runes) - 256) // 1024, longest, *offsets, at, version)
    assert len(head) == 64
    out = bytearray(at)
    out[:64] = head
    for o, s in zip(offsets, sections):
        out[o : o + len(s)] = s
    with open(path, "wb") as f:
        f.write(out)
