"""Sentences that the table is fitted to, from the repositories in the README, in build/sentences.json.

Usage: sentences.py DIRECTORY, which holds a clone (bare or not) of each repository as owner+name.
"""
import csv
import hashlib
import io
import json
import re
import subprocess
import sys
import zipfile

SOURCES = {  # repository → commit
    "google-research-datasets/Synthetic-Persona-Chat": "1f367a0f05d388ca96ebbbc9e5752ab19ac76510",
    "clinc/oos-eval": "828f8093932c8fe6ca7936c3d2e52903b1c523de",
    "reactjs/react.dev": "12d692da47e77cdc558b928fcfbaf4e71c6d0cec",
    "reactjs/zh-hans.react.dev": "f6cda05526ceff44b24588e9e0c2e2106d4588d4",
    "vuejs/docs": "01e098a967951ea92d09b100b8e7d82c7a3369a2",
    "vuejs-translations/docs-zh-cn": "c2715ff75bae5376bc5bf212280ae76e30089fbd",
    "thu-coai/KdConv": "653db76432de09a004ba708a68f8bbd5500e6bec",
    "thu-coai/CrossWOZ": "df82c9fdff91b9b130f2d6b89110d3870ba6260e",
}
HAN = re.compile(r"[\u4e00-\u9fff]")


def git(root, repo, *args) -> bytes:
    path = f"{root}/{repo.replace('/', '+')}"
    for git_dir in (path + "/repo", path + "/.git", path):
        r = subprocess.run(["git", f"--git-dir={git_dir}", *args], capture_output=True)
        if r.returncode == 0:
            return r.stdout
    raise SystemExit(f"{repo}: {r.stderr.decode()}")


def show(root, repo, path) -> bytes:
    return git(root, repo, "show", f"{SOURCES[repo]}:{path}")


def prose(root, repo, folder):
    """Sentences of Markdown pages, without code."""
    names = git(root, repo, "ls-tree", "-r", "--name-only", SOURCES[repo]).decode().splitlines()
    for name in names:
        if not name.startswith(folder) or not name.endswith(".md"):
            continue
        t = show(root, repo, name).decode("utf8", "replace")
        t = re.sub(r"(?s)\A---.*?\n---\n", "", t)
        t = re.sub(r"(?s)```.*?```|~~~.*?~~~|<!--.*?-->|<style.*?</style>|<script.*?</script>", "\n\n", t)
        t = re.sub(r"!\[[^\]]*\]\([^)]*\)", "", t)
        t = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", t)
        t = re.sub(r"\{/\*.*?\*/\}|\{#[^}]*\}|<[^>]+>|[*_`|#>]+", " ", t)
        for line in t.split("\n"):
            line = re.sub(r"\s+", " ", re.sub(r"^\s*(?:[-+•]|\d+\.)\s+", "", line)).strip()
            yield from (s.strip() for s in re.split(r"(?<=[.!?])\s+(?=[A-Z])|(?<=[。！？])", line))


def persona(root):
    for name in ("valid", "test"):
        rows = csv.reader(io.StringIO(show(root, "google-research-datasets/Synthetic-Persona-Chat", f"data/Synthetic-Persona-Chat_{name}.csv").decode()))
        next(rows)
        for row in rows:
            for line in row[2].splitlines():
                yield re.sub(r"^User \d: ", "", line).strip()


def queries(root):
    for split in json.loads(show(root, "clinc/oos-eval", "data/data_full.json")).values():
        for text, _ in split:
            yield text


def kdconv(root):
    for topic in ("film", "music", "travel"):
        for split in ("dev", "test"):
            for talk in json.loads(show(root, "thu-coai/KdConv", f"data/{topic}/{split}.json")):
                for m in talk["messages"]:
                    yield m["message"].strip()


def crosswoz(root):
    for split in ("val", "test"):
        with zipfile.ZipFile(io.BytesIO(show(root, "thu-coai/CrossWOZ", f"data/crosswoz/{split}.json.zip"))) as z:
            for talk in json.loads(z.read(z.namelist()[0])).values():
                for m in talk["messages"]:
                    yield m["content"].strip()


def take(texts, n):
    """n different ones of 8 to 240 bytes, chosen by their hash."""
    ok = {t for t in texts if 12 <= len(t.encode()) <= 240 and (HAN.search(t) or re.search("[a-z]{3}", t))}
    return sorted(ok, key=lambda t: hashlib.sha256(t.encode()).digest())[:n]


def main(root):
    parts = {
        "persona": take(persona(root), 8000),
        "clinc": take(queries(root), 3000),
        "react en": take(prose(root, "reactjs/react.dev", "src/content"), 3500),
        "vue en": take(prose(root, "vuejs/docs", "src"), 2500),
        "kdconv": take(kdconv(root), 8000),
        "crosswoz": take(crosswoz(root), 2000),
        "react zh": take((t for t in prose(root, "reactjs/zh-hans.react.dev", "src/content") if HAN.search(t)), 3500),
        "vue zh": take((t for t in prose(root, "vuejs-translations/docs-zh-cn", "src") if HAN.search(t)), 2500),
    }
    for k, v in parts.items():
        print(k, len(v), v[:2])
    texts = list(dict.fromkeys(t for p in parts.values() for t in p))
    texts.sort(key=lambda t: hashlib.sha256(t.encode()).digest())  # any prefix is a fair sample
    json.dump(texts, open("build/sentences.json", "w"), ensure_ascii=False)
    print(len(texts), "sentences")


if __name__ == "__main__":
    main(sys.argv[1])
