"""Words of the table, with how frequent they are, and how runes are folded: build/words.json, build/runes.bin."""
import json
import re
import unicodedata

import jieba
import opencc
import wordfreq

ENGLISH, CHINESE, CHARACTERS = 34_000, 39_500, 7_000
HAN = re.compile(r"[\u4e00-\u9fff]{1,8}")
LATIN = re.compile(r"[a-z0-9]([a-z0-9']*[a-z0-9])?")
EXTRA = "c++ c# f# g++ siltstone".split()  # names that hold signs
BREAK, LETTER, DIGIT, HAN_CLASS, DROP, SYMBOL, APOSTROPHE, UPPER = 0, 1, 2, 3, 4, 5, 6, 16
simplify = opencc.OpenCC("t2s")


def fold(cp: int) -> tuple[int, int]:
    """The folded rune (0: itself) and class of one rune of the basic plane."""
    c = chr(cp)
    if c in "'\u2019\u02bc\uff07":
        return ord("'"), APOSTROPHE
    if 0x300 <= cp <= 0x36F or cp in (0xAD, 0x200B, 0x200C, 0x200D, 0x2060, 0xFE0E, 0xFE0F, 0xFEFF):
        return 0, DROP
    if 0xD800 <= cp < 0xE000 or cp == 0xFFFD:
        return 0, BREAK
    n = unicodedata.normalize("NFKC", c)
    if len(n) != 1:
        n = c
    upper = unicodedata.category(n) in ("Lu", "Lt")
    low = n.lower()
    if len(low) != 1:  # dotted capital I
        low = low[0]
    base = unicodedata.normalize("NFKD", low)
    if len(base) > 1 and "LATIN" in unicodedata.name(low, "") and all(unicodedata.category(x) == "Mn" for x in base[1:]):
        low = base[0]
    low = {"ß": "s", "ø": "o", "ł": "l", "đ": "d", "ı": "i"}.get(low, low)
    if HAN.fullmatch(low) or 0x3400 <= ord(low) < 0x4DC0:
        s = simplify.convert(low)
        low = s if len(s) == 1 and ord(s) < 0x10000 else low
        kind = HAN_CLASS
    elif low in "〇々":
        kind = HAN_CLASS
    else:
        cat = unicodedata.category(low)
        if cat == "Nd":
            low, kind = str(unicodedata.digit(low)), DIGIT
        elif cat[0] in "LM" or cat in ("Nl", "No"):
            kind = LETTER
        elif cat == "So":
            kind = SYMBOL
        else:
            kind = BREAK
    if ord(low) >= 0x10000:
        low = c
    return (0 if low == c else ord(low)), kind | (UPPER if upper and kind == LETTER else 0)


def runes() -> bytes:
    pages, index = [], []
    for hi in range(256):
        page = b"".join(f.to_bytes(2, "little") + bytes([k, 0]) for f, k in (fold(hi << 8 | lo) for lo in range(256)))
        if page not in pages:
            pages.append(page)
        index.append(pages.index(page))
    return bytes(index) + b"".join(pages)


def folded(word: str) -> str:
    out = []
    for c in word:
        f, k = fold(ord(c)) if ord(c) < 0x10000 else (0, SYMBOL)
        if k != DROP:
            out.append(chr(f) if f else c)
    return "".join(out)


def emoji():
    for low, high in ((0x1F300, 0x1F650), (0x1F680, 0x1F6D0), (0x1F900, 0x1FA00)):
        for cp in range(low, high):
            if unicodedata.category(chr(cp)) == "So" and not 0x1F3FB <= cp <= 0x1F3FF:
                yield chr(cp)
    yield from "☀☁☂☃☎☑☔☕☘☝☠☢☹☺♀♂♥♻⚠⚡⚽⚾✂✅✈✉✊✋✌✍✔✖✨❄❌❓❗❤➡⭐"


def numbers():
    yield from map(str, range(100))
    yield from map(str, range(100, 1000, 10))
    yield from map(str, range(1900, 2051))
    yield from "1000 2000 3000 5000 8000 10000 20000 50000 100000 127 200 201 204 301 302 304 400 401 403 404 409 429 443 500 502 503 3306 5432 6379 8080 255 256 512 1024 2048 4096".split()


def main():
    words = {}  # folded → (frequency, language)

    def add(w, lang):
        w = folded(w)
        if w not in words and len(w.encode()) <= 64:
            p = wordfreq.word_frequency(w, lang if lang != "xx" else "en")
            words[w] = (max(p, 1e-8), lang)
            return 1
        return 0

    english = [w for w in wordfreq.top_n_list("en", 80_000, "best") if LATIN.fullmatch(w)]
    for w in [*EXTRA, *english[:ENGLISH]]:
        add(w, "en")
    for w in [*numbers(), *emoji()]:
        add(w, "xx")
    counts = {}
    with open(jieba.__path__[0] + "/dict.txt", encoding="utf8") as f:
        for line in f:
            w, n, *_ = line.split(" ")
            counts[w] = int(n)
    ranked = sorted(counts, key=lambda w: (-counts[w], w))
    n = 0
    for w in ranked:
        if len(w) == 1 and HAN.fullmatch(w) and n < CHARACTERS:
            n += add(w, "zh")
    # Half by how frequent a word is in today's texts, half by jieba's own counts, which know more names.
    today = [w for w in wordfreq.top_n_list("zh", 100_000, "best") if HAN.fullmatch(w) and len(w) > 1]
    older = [w for w in ranked if HAN.fullmatch(w) and len(w) > 1]
    n = 0
    for pair in zip(today, older):
        for w in pair:
            if n < CHINESE:
                n += add(w, "zh")
    json.dump([[w, p, l] for w, (p, l) in words.items()], open("build/words.json", "w"), ensure_ascii=False)
    open("build/runes.bin", "wb").write(runes())
    print(len(words), "words")


if __name__ == "__main__":
    main()
