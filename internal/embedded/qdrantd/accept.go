package qdrantd

import (
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// accepted lists, by message, every field of a request that this server handles. A request that sets any other field,
// or one unknown to the client library it is built with, is refused with Unimplemented naming it, so nothing is ever
// ignored in silence. What a handled field may hold is checked where it is used.
//
// Accepted though it changes nothing, because it cannot change an exact answer of a single node: timeouts beyond the
// request's deadline, ordering, read_consistency, hnsw_ef, exact, and the settings of CreateCollection and of payload
// indexes that say how a bigger engine lays out its data. The latter are recorded and reported by Info.
var accepted = fieldTable(map[string]string{
	"HealthCheckRequest":         "",
	"ListCollectionsRequest":     "",
	"GetCollectionInfoRequest":   "collection_name",
	"CollectionExistsRequest":    "collection_name",
	"DeleteCollection":           "collection_name timeout",
	"CreateCollection":           "collection_name hnsw_config wal_config optimizers_config shard_number on_disk_payload timeout vectors_config replication_factor write_consistency_factor sharding_method sparse_vectors_config metadata",
	"VectorsConfig":              "params_map",
	"VectorParamsMap":            "map",
	"VectorParams":               "size distance hnsw_config on_disk datatype",
	"SparseVectorConfig":         "map",
	"SparseVectorParams":         "index modifier",
	"SparseIndexConfig":          "full_scan_threshold on_disk datatype",
	"HnswConfigDiff":             "*",
	"WalConfigDiff":              "*",
	"OptimizersConfigDiff":       "*",
	"MaxOptimizationThreads":     "*",
	"CreateFieldIndexCollection": "collection_name wait field_name field_type field_index_params ordering timeout",
	"DeleteFieldIndexCollection": "collection_name wait field_name ordering timeout",
	"PayloadIndexParams":         "keyword_index_params integer_index_params float_index_params bool_index_params datetime_index_params",
	"KeywordIndexParams":         "*",
	"IntegerIndexParams":         "*",
	"FloatIndexParams":           "*",
	"BoolIndexParams":            "*",
	"DatetimeIndexParams":        "*",

	"UpsertPoints":        "collection_name wait points ordering update_filter timeout update_mode",
	"PointStruct":         "id payload vectors",
	"Vectors":             "vectors",
	"NamedVectors":        "vectors",
	"Vector":              "data indices dense sparse",
	"DeletePoints":        "collection_name wait points ordering timeout",
	"SetPayloadPoints":    "collection_name wait payload points_selector ordering key timeout",
	"DeletePayloadPoints": "collection_name wait keys points_selector ordering timeout",
	"ClearPayloadPoints":  "collection_name wait points ordering timeout",
	"PointsSelector":      "*",
	"PointsIdsList":       "*",
	"UpdateBatchPoints":   "collection_name wait operations ordering timeout",

	"PointsUpdateOperation":                  "upsert set_payload overwrite_payload delete_payload delete_points clear_payload",
	"PointsUpdateOperation.PointStructList":  "points update_filter update_mode",
	"PointsUpdateOperation.SetPayload":       "payload points_selector key",
	"PointsUpdateOperation.OverwritePayload": "payload points_selector",
	"PointsUpdateOperation.DeletePayload":    "keys points_selector",
	"PointsUpdateOperation.DeletePoints":     "points",
	"PointsUpdateOperation.ClearPayload":     "points",

	"GetPoints":              "collection_name ids with_payload with_vectors read_consistency timeout",
	"ScrollPoints":           "collection_name filter offset limit with_payload with_vectors read_consistency order_by timeout",
	"CountPoints":            "collection_name filter exact read_consistency timeout",
	"FacetCounts":            "collection_name key filter limit exact timeout read_consistency",
	"QueryPoints":            "collection_name query using filter params score_threshold limit offset with_vectors with_payload read_consistency timeout",
	"QueryBatchPoints":       "collection_name query_points read_consistency timeout",
	"Query":                  "nearest",
	"VectorInput":            "dense sparse",
	"SearchParams":           "hnsw_ef exact",
	"OrderBy":                "*",
	"StartFrom":              "*",
	"Timestamp":              "*",
	"WithPayloadSelector":    "*",
	"PayloadIncludeSelector": "*",
	"PayloadExcludeSelector": "*",
	"WithVectorsSelector":    "*",
	"VectorsSelector":        "*",
	"ReadConsistency":        "*",
	"WriteOrdering":          "*",

	"Filter":             "*",
	"MinShould":          "*",
	"Condition":          "field is_empty has_id filter is_null has_vector",
	"FieldCondition":     "key match range datetime_range is_empty is_null",
	"Match":              "keyword integer boolean keywords integers except_integers except_keywords",
	"RepeatedStrings":    "*",
	"RepeatedIntegers":   "*",
	"Range":              "*",
	"DatetimeRange":      "*",
	"IsEmptyCondition":   "*",
	"IsNullCondition":    "*",
	"HasIdCondition":     "*",
	"HasVectorCondition": "*",
})

// opaque messages hold data, not parameters; they are not walked.
var opaque = map[protoreflect.FullName]bool{
	"qdrant.Value": true, "qdrant.PointId": true, "qdrant.DenseVector": true, "qdrant.SparseVector": true,
	"qdrant.SparseIndices": true,
}

type fieldSet map[protoreflect.Name]bool

func fieldTable(rows map[string]string) map[protoreflect.FullName]fieldSet {
	t := make(map[protoreflect.FullName]fieldSet, len(rows))
	for name, fields := range rows {
		set := fieldSet{}
		for _, f := range strings.Fields(fields) {
			set[protoreflect.Name(f)] = true
		}
		if name == "Timestamp" {
			t["google.protobuf.Timestamp"] = set
			continue
		}
		t[protoreflect.FullName("qdrant."+name)] = set
	}
	return t
}

// refuse answers Unimplemented for the first field of req that is set and not in the table.
func refuse(req proto.Message) error {
	m := req.ProtoReflect()
	return walkFields(m, string(m.Descriptor().Name()))
}

func walkFields(m protoreflect.Message, at string) (err error) {
	d := m.Descriptor()
	if opaque[d.FullName()] {
		return nil
	}
	if len(m.GetUnknown()) > 0 {
		return unsupported("a parameter of %s is newer than this server and not supported", at)
	}
	set := accepted[d.FullName()]
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		if !set["*"] && !set[f.Name()] {
			err = unsupported("parameter `%s` is not supported by the embedded server (%s.%s)", f.Name(), at, f.Name())
			return false
		}
		if f.Message() == nil {
			return true
		}
		switch {
		case f.IsMap():
			if f.MapValue().Message() == nil || opaque[f.MapValue().Message().FullName()] {
				return true
			}
			v.Map().Range(func(_ protoreflect.MapKey, el protoreflect.Value) bool {
				err = walkFields(el.Message(), at+"."+string(f.Name()))
				return err == nil
			})
		case opaque[f.Message().FullName()]:
		case f.IsList():
			for i, l := 0, v.List(); i < l.Len() && err == nil; i++ {
				err = walkFields(l.Get(i).Message(), at+"."+string(f.Name()))
			}
		default:
			err = walkFields(v.Message(), at+"."+string(f.Name()))
		}
		return err == nil
	})
	return err
}
