"""The engine's side of bench -only vectors: Qdrant's own engine (qdrant-edge-py from PyPI) with the points of a file.

Arguments: a directory to work in, the number of points, their dimension. The directory holds vectors (float32s, end to
end), payloads (a line of JSON a point) and queries (float32s). Each line of stdin is [name, argument]; each line of
stdout its answer, in JSON.
"""

import array
import json
import os
import sys
import time

import qdrant_edge as q

DIR, POINTS, DIM = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
PATH = os.path.join(DIR, "engine")
BATCH = 256
VECTORS = {"dense": q.EdgeVectorParams(DIM, q.Distance.Cosine)}


def floats(name):
    out = array.array("f")
    with open(os.path.join(DIR, name), "rb") as f:
        out.frombytes(f.read())
    return out


QUERIES = floats("queries")


def rss():
    with open("/proc/self/status") as f:
        return next(int(line.split()[1]) * 1024 for line in f if line.startswith("VmRSS"))


class Side:
    def __init__(self):
        self.shard = None

    def fill(self, _):
        """Answers the seconds that updates and flushes took, one flush a batch."""
        self.shard = q.EdgeShard.create(PATH, q.EdgeConfig(vectors=VECTORS))
        self.shard.update(q.UpdateOperation.create_field_index("owner", q.KeywordIndexParams(is_tenant=True)))
        for name, kind in (("conversation", q.PayloadSchemaType.Keyword), ("at", q.PayloadSchemaType.Integer)):
            self.shard.update(q.UpdateOperation.create_field_index(name, kind))
        vectors, took = floats("vectors"), 0
        with open(os.path.join(DIR, "payloads")) as payloads:
            for first in range(0, POINTS, BATCH):
                points = [q.Point(i, {"dense": vectors[i * DIM : (i + 1) * DIM].tolist()}, json.loads(next(payloads)))
                          for i in range(first, min(first + BATCH, POINTS))]
                start = time.perf_counter()
                self.shard.update(q.UpdateOperation.upsert_points(points))
                self.shard.flush()
                took += time.perf_counter() - start
        self.close(None)
        return took

    def close(self, _):
        if self.shard is not None:
            self.shard.close()
            self.shard = None

    def load(self, threads):
        """Answers the seconds until the engine is there; threads 0 leaves their number to the engine."""
        self.close(None)
        start = time.perf_counter()
        self.shard = q.EdgeShard.load(PATH, q.EdgeConfig(vectors=VECTORS, max_search_threads=threads) if threads else None)
        return time.perf_counter() - start

    def memory(self, _):
        return rss()

    def ask(self, a):
        """Answers the nanoseconds of each question, and the ids found."""
        took, found = [], []
        for i in range(a["from"], a["from"] + a["n"]):
            owner = a["owner"]
            request = q.QueryRequest(
                limit=10, query=q.Query.Nearest(QUERIES[i * DIM : (i + 1) * DIM].tolist(), using="dense"), params=q.SearchParams(exact=True),
                filter=q.Filter(must=[q.FieldCondition("owner", match=q.MatchValue(owner))]) if owner else None, with_payload=False, with_vector=False)
            start = time.perf_counter_ns()
            hits = self.shard.query(request)
            took.append(time.perf_counter_ns() - start)
            found.append([int(h.id) for h in hits])
        return {"ns": took, "ids": found}


def main():
    side = Side()
    for line in sys.stdin:
        name, argument = json.loads(line)
        print(json.dumps(getattr(side, name)(argument)), flush=True)
    side.close(None)


main()
