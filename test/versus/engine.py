"""Asks Qdrant's own engine (qdrant-edge-py from PyPI) what the tests in this folder ask the embedded server.

Each line of stdin is [name, request], the request being the gRPC API's message in protobuf's JSON form with the names
of the .proto files; each line of stdout is {"ok": answer} or {"err": text}. There is one collection at a time.
"""

import json
import os
import shutil
import sys
import tempfile
import uuid

import qdrant_edge as q

DEFAULT_LIMIT = 10  # of the server; the engine has defaults of its own
DISTANCES = {"Cosine": q.Distance.Cosine, "Dot": q.Distance.Dot, "Euclid": q.Distance.Euclid}
KINDS = {
    "FieldTypeKeyword": ("keyword_index_params", q.PayloadSchemaType.Keyword, q.KeywordIndexParams),
    "FieldTypeInteger": ("integer_index_params", q.PayloadSchemaType.Integer, q.IntegerIndexParams),
    "FieldTypeFloat": ("float_index_params", q.PayloadSchemaType.Float, q.FloatIndexParams),
    "FieldTypeBool": ("bool_index_params", q.PayloadSchemaType.Bool, q.BoolIndexParams),
    "FieldTypeDatetime": ("datetime_index_params", q.PayloadSchemaType.Datetime, q.DatetimeIndexParams),
}
MODES = {"Upsert": q.UpdateMode.Upsert, "InsertOnly": q.UpdateMode.InsertOnly, "UpdateOnly": q.UpdateMode.UpdateOnly}


# Requests: from protobuf's JSON to the engine's classes. 64-bit integers stand as strings there, zero values not at all.


def point_id(p):
    return uuid.UUID(p["uuid"]) if "uuid" in p else int(p["num"])


def point_ids(ps):
    return [point_id(p) for p in ps]


def value(v):
    if "integer_value" in v:
        return int(v["integer_value"])
    if "double_value" in v:
        return float(v["double_value"])
    if "string_value" in v:
        return v["string_value"]
    if "bool_value" in v:
        return v["bool_value"]
    if "struct_value" in v:
        return payload(v["struct_value"].get("fields", {}))
    if "list_value" in v:
        return [value(e) for e in v["list_value"].get("values", [])]
    return None


def payload(fields):
    return {k: value(v) for k, v in fields.items()}


def vector(v):
    if "sparse" in v:
        return q.SparseVector([int(i) for i in v["sparse"].get("indices", [])], [float(x) for x in v["sparse"].get("values", [])])
    return [float(x) for x in v.get("dense", {}).get("data", [])]


def point(p):
    named = p.get("vectors", {}).get("vectors", {}).get("vectors", {})
    return q.Point(point_id(p["id"]), {name: vector(v) for name, v in named.items()}, payload(p.get("payload", {})))


# The bindings look for an integer first and take True for 1; this they read as a truth value and nothing else.
Truth = type("bool_", (), {"__module__": "numpy", "__init__": lambda self, v: setattr(self, "v", v), "__bool__": lambda self: self.v})


def match(m):
    if "keyword" in m:
        return q.MatchValue(m["keyword"])
    if "integer" in m:
        return q.MatchValue(int(m["integer"]))
    if "boolean" in m:
        return q.MatchValue(Truth(m["boolean"]))
    if "keywords" in m:
        return q.MatchAny(m["keywords"].get("strings", []))
    if "integers" in m:
        return q.MatchAny([int(n) for n in m["integers"].get("integers", [])])
    if "except_keywords" in m:
        return q.MatchExcept(m["except_keywords"].get("strings", []))
    return q.MatchExcept([int(n) for n in m["except_integers"].get("integers", [])])


def field(c):
    parts = {}
    if "match" in c:
        parts["match"] = match(c["match"])
    if "range" in c:
        parts["range"] = q.RangeFloat(**{k: float(v) for k, v in c["range"].items()})
    if "datetime_range" in c:
        parts["range"] = q.RangeDateTime(**c["datetime_range"])
    for k in ("is_empty", "is_null"):
        if k in c:
            parts[k] = c[k]
    return q.FieldCondition(c.get("key", ""), **parts)


def condition(c):
    if "field" in c:
        return field(c["field"])
    if "is_empty" in c:
        return q.IsEmptyCondition(c["is_empty"].get("key", ""))
    if "is_null" in c:
        return q.IsNullCondition(c["is_null"].get("key", ""))
    if "has_id" in c:
        return q.HasIdCondition(set(point_ids(c["has_id"].get("has_id", []))))
    if "has_vector" in c:
        return q.HasVectorCondition(c["has_vector"].get("has_vector", ""))
    return filter_(c["filter"]) or q.Filter()


def conditions(cs):
    return [condition(c) for c in cs] or None


def filter_(f):
    if f is None:
        return None
    some = f.get("min_should")
    return q.Filter(
        must=conditions(f.get("must", [])),
        should=conditions(f.get("should", [])),
        must_not=conditions(f.get("must_not", [])),
        min_should=some and q.MinShould([condition(c) for c in some.get("conditions", [])], int(some["min_count"])),
    )


def selector(s):
    """The ids, or None and the filter."""
    if "points" in s:
        return point_ids(s["points"].get("ids", [])), None
    return None, filter_(s["filter"])


def with_payload(s, by_default):
    if s is None:
        return by_default
    if "include" in s:
        return q.PayloadSelector.Include(s["include"].get("fields", []))
    if "exclude" in s:
        return q.PayloadSelector.Exclude(s["exclude"].get("fields", []))
    return s["enable"]


def with_vectors(s):
    if s is None:
        return False
    return s["include"].get("names", []) if "include" in s else s["enable"]


def order_by(o):
    if o is None:
        return None
    start = o.get("start_from")
    if start is not None:
        if "integer" in start:
            start = int(start["integer"])
        elif "float" in start:
            start = float(start["float"])
        else:
            start = start.get("timestamp", start.get("datetime"))
    return q.OrderBy(o["key"], q.Direction.Desc if o.get("direction") == "Desc" else q.Direction.Asc, start)


def query_request(r):
    query = None
    if "query" in r:
        query = q.Query.Nearest(vector(r["query"]["nearest"]), using=r.get("using"))
    return q.QueryRequest(
        limit=int(r.get("limit", DEFAULT_LIMIT)),
        offset=int(r.get("offset", 0)),
        query=query,
        filter=filter_(r.get("filter")),
        score_threshold=float(r["score_threshold"]) if "score_threshold" in r else None,
        with_payload=with_payload(r.get("with_payload"), False),
        with_vector=with_vectors(r.get("with_vectors")),
        params=q.SearchParams(exact=True),
    )


# Answers.


def vectors_out(vs):
    if vs is None:
        return None
    named = vs.items() if isinstance(vs, dict) else [("", vs)]
    return {k: {"indices": v.indices, "values": v.values} if isinstance(v, q.SparseVector) else v for k, v in named}


def found(p):
    out = {"id": str(p.id), "payload": p.payload, "vectors": vectors_out(p.vector)}
    if p.order_value is not None:
        out["order"] = p.order_value
    if isinstance(p, q.ScoredPoint):
        out["score"] = p.score
    return out


class Engine:
    def __init__(self):
        self.root = tempfile.mkdtemp(prefix="versus-", dir=os.environ.get("VERSUS_DIR"))
        self.shard = None
        self.path = None

    def drop(self):
        if self.shard is not None:
            self.shard.close()
            self.shard = None
            shutil.rmtree(self.path, ignore_errors=True)

    # Collections

    def create(self, r):
        self.drop()
        dense = r.get("vectors_config", {}).get("params_map", {}).get("map", {})
        sparse = r.get("sparse_vectors_config", {}).get("map", {})
        self.path = tempfile.mkdtemp(dir=self.root)
        self.shard = q.EdgeShard.create(self.path, q.EdgeConfig(
            vectors={n: q.EdgeVectorParams(int(p["size"]), DISTANCES[p["distance"]]) for n, p in dense.items()},
            sparse_vectors={n: q.EdgeSparseVectorParams() for n in sparse},
            optimizers=q.EdgeOptimizersConfig(deleted_threshold=0.2, vacuum_min_vector_number=8, default_segment_number=1, indexing_threshold=1),
            max_search_threads=1,
            wal_enabled=False,
        ))

    def optimize(self, _):
        self.shard.optimize()

    def restart(self, _):
        self.shard.close()
        self.shard = q.EdgeShard.load(self.path)

    def create_index(self, r):
        params, plain, cls = KINDS[r.get("field_type", "FieldTypeKeyword")]
        given = r.get("field_index_params", {}).get(params)
        self.shard.update(q.UpdateOperation.create_field_index(r["field_name"], plain if given is None else cls(**given)))

    def delete_index(self, r):
        self.shard.update(q.UpdateOperation.delete_field_index(r["field_name"]))

    # Updates

    def upsert(self, r):
        self.shard.update(q.UpdateOperation.upsert_points(
            [point(p) for p in r.get("points", [])], filter_(r.get("update_filter")), MODES[r["update_mode"]] if "update_mode" in r else None))

    def delete(self, r):
        ids, flt = selector(r["points"])
        self.shard.update(q.UpdateOperation.delete_points(ids) if flt is None else q.UpdateOperation.delete_points_by_filter(flt))

    def set_payload(self, r):
        ids, flt = selector(r["points_selector"])
        args = payload(r.get("payload", {})), r.get("key")
        self.shard.update(q.UpdateOperation.set_payload(ids, *args) if flt is None else q.UpdateOperation.set_payload_by_filter(flt, *args))

    def overwrite_payload(self, r):
        ids, flt = selector(r["points_selector"])
        args = (payload(r.get("payload", {})),)
        self.shard.update(q.UpdateOperation.overwrite_payload(ids, *args) if flt is None else q.UpdateOperation.overwrite_payload_by_filter(flt, *args))

    def delete_payload(self, r):
        ids, flt = selector(r["points_selector"])
        keys = r.get("keys", [])
        self.shard.update(q.UpdateOperation.delete_payload(ids, keys) if flt is None else q.UpdateOperation.delete_payload_by_filter(flt, keys))

    def clear_payload(self, r):
        ids, flt = selector(r["points"])
        if flt is not None:
            ids = [p.id for p in self.shard.scroll(q.ScrollRequest(limit=10000, filter=flt))[0]]
        try:
            self.shard.update(q.UpdateOperation.clear_payload(ids))
        finally:
            # A null set later stays in a payload that was cleared, but not once the segment was rewritten, nor in one
            # that became empty in any other way. Only here: all empty payloads are made equal.
            there = [p.id for p in self.shard.retrieve(ids, False, False)]
            self.shard.update(q.UpdateOperation.overwrite_payload(there, {}))

    def update_batch(self, r):
        for op in r.get("operations", []):
            (name, body), = op.items()
            {"upsert": self.upsert, "delete_points": self.delete, "set_payload": self.set_payload,
             "overwrite_payload": self.overwrite_payload, "delete_payload": self.delete_payload,
             "clear_payload": self.clear_payload}[name](body)

    # Reads

    def get(self, r):
        return [found(p) for p in self.shard.retrieve(point_ids(r.get("ids", [])), with_payload(r.get("with_payload"), False), with_vectors(r.get("with_vectors")))]

    def scroll(self, r):
        points, after = self.shard.scroll(q.ScrollRequest(
            offset=point_id(r["offset"]) if "offset" in r else None, limit=int(r.get("limit", DEFAULT_LIMIT)), filter=filter_(r.get("filter")),
            with_payload=with_payload(r.get("with_payload"), True), with_vector=with_vectors(r.get("with_vectors")), order_by=order_by(r.get("order_by"))))
        return {"points": [found(p) for p in points], "next": None if after is None else str(after)}

    def count(self, r):
        return self.shard.count(q.CountRequest(exact=True, filter=filter_(r.get("filter"))))

    def facet(self, r):
        got = self.shard.facet(q.FacetRequest(r["key"], int(r.get("limit", DEFAULT_LIMIT)), True, filter_(r.get("filter"))))
        return [{"value": h.value, "count": h.count} for h in got.hits]

    def query(self, r):
        return [found(p) for p in self.shard.query(query_request(r))]

    def query_batch(self, r):
        return [[found(p) for p in hits] for hits in self.shard.query_batch(q.QueryBatchRequest([query_request(x) for x in r.get("query_points", [])]))]


def main():
    engine = Engine()
    try:
        for line in sys.stdin:
            name, request = json.loads(line)
            try:
                answer = {"ok": getattr(engine, name)(request)}
            except BaseException as e:  # the engine's panics are BaseExceptions
                if isinstance(e, (KeyboardInterrupt, SystemExit)):
                    raise
                answer = {"err": f"{type(e).__name__}: {e}"}
            print(json.dumps(answer), flush=True)
    finally:
        engine.drop()
        shutil.rmtree(engine.root, ignore_errors=True)


main()
