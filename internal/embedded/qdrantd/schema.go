package qdrantd

import (
	"slices"
	"sort"
	"strings"

	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/protobuf/proto"
)

const maxDim = 65536 // Qdrant's limit

type denseSpec struct {
	name string
	dim  int
	dist qdrant.Distance
}

type sparseSpec struct{ name string }

type indexKind uint8

const (
	indexKeyword indexKind = iota
	indexInteger
	indexFloat
	indexBool
	indexDatetime
)

type indexSpec struct {
	path  path
	kind  indexKind
	order bool // may serve order_by
	req   *qdrant.CreateFieldIndexCollection
}

func (s indexSpec) tenant() bool {
	return s.kind == indexKeyword && s.req.GetFieldIndexParams().GetKeywordIndexParams().GetIsTenant()
}

// schema is what a collection was created with. It is immutable: a changed index makes a new schema.
type schema struct {
	create  *qdrant.CreateCollection
	dense   []denseSpec  // by name
	sparse  []sparseSpec // by name
	indexes []indexSpec  // by path
	tenant  int          // position in indexes of the one that partitions, -1
}

func (s *schema) denseAt(name string) (int, bool) {
	return sort.Find(len(s.dense), func(i int) int { return strings.Compare(name, s.dense[i].name) })
}

func (s *schema) sparseAt(name string) (int, bool) {
	return sort.Find(len(s.sparse), func(i int) int { return strings.Compare(name, s.sparse[i].name) })
}

func (s *schema) indexAt(canonical string) (int, bool) {
	return sort.Find(len(s.indexes), func(i int) int { return strings.Compare(canonical, s.indexes[i].path.text) })
}

// newSchema validates a request to create a collection.
func newSchema(req *qdrant.CreateCollection) (*schema, error) {
	s := &schema{create: proto.Clone(req).(*qdrant.CreateCollection), tenant: -1}
	if err := validName(req.GetCollectionName()); err != nil {
		return nil, err
	}
	for what, n := range map[string]*uint32{"shard_number": req.ShardNumber, "replication_factor": req.ReplicationFactor,
		"write_consistency_factor": req.WriteConsistencyFactor} {
		if n != nil && *n == 0 {
			return nil, invalid("Validation error in body: [%s: must be greater than or equal to 1]", what)
		}
		if n != nil && *n != 1 {
			return nil, unsupported("parameter `%s` other than 1 is not supported by the embedded server", what)
		}
	}
	if m := req.ShardingMethod; m != nil && *m != qdrant.ShardingMethod_Auto {
		return nil, unsupported("parameter `sharding_method` other than Auto is not supported by the embedded server")
	}
	for name, p := range req.GetVectorsConfig().GetParamsMap().GetMap() {
		if p.GetSize() < 1 || p.GetSize() > maxDim {
			return nil, invalid("Validation error in body: [vectors_config.%s.size: must be from 1 to %d]", name, maxDim)
		}
		switch p.GetDistance() {
		case qdrant.Distance_Cosine, qdrant.Distance_Dot, qdrant.Distance_Euclid:
		case qdrant.Distance_UnknownDistance:
			return nil, invalid("Unable to convert distance")
		default:
			return nil, unsupported("parameter `distance`=%s is not supported by the embedded server", p.GetDistance())
		}
		if err := onlyFloat32(p.Datatype); err != nil {
			return nil, err
		}
		s.dense = append(s.dense, denseSpec{name: name, dim: int(p.GetSize()), dist: p.GetDistance()})
	}
	for name, p := range req.GetSparseVectorsConfig().GetMap() {
		if p.Modifier != nil && *p.Modifier != qdrant.Modifier_None {
			return nil, unsupported("parameter `modifier`=%s is not supported by the embedded server", p.GetModifier())
		}
		if err := onlyFloat32(sparseDatatype(p)); err != nil {
			return nil, err
		}
		if _, dup := req.GetVectorsConfig().GetParamsMap().GetMap()[name]; dup {
			return nil, wrongInput("vector name `%s` is used for a dense and a sparse vector", name)
		}
		s.sparse = append(s.sparse, sparseSpec{name: name})
	}
	slices.SortFunc(s.dense, func(a, b denseSpec) int { return strings.Compare(a.name, b.name) })
	slices.SortFunc(s.sparse, func(a, b sparseSpec) int { return strings.Compare(a.name, b.name) })
	return s, nil
}

func onlyFloat32(d *qdrant.Datatype) error {
	if d != nil && *d != qdrant.Datatype_Default && *d != qdrant.Datatype_Float32 {
		return unsupported("parameter `datatype`=%s is not supported by the embedded server", d)
	}
	return nil
}

func validName(name string) error {
	switch {
	case name == "" || len(name) > 255:
		return invalid("Validation error in body: [collection_name: length must be from 1 to 255]")
	case strings.ContainsAny(name, "<>:\"/\\|?*\x00\x1f"):
		return invalid("Validation error in body: [collection_name: collection name cannot contain %q]", name)
	}
	return nil
}

// newIndex validates a request to index a field.
func newIndex(req *qdrant.CreateFieldIndexCollection) (indexSpec, error) {
	p, err := parsePath(req.GetFieldName())
	if err != nil {
		return indexSpec{}, err
	}
	spec := indexSpec{path: p, req: proto.Clone(req).(*qdrant.CreateFieldIndexCollection)}
	spec.req.Wait, spec.req.Timeout, spec.req.Ordering = nil, nil, nil
	byParams := -1
	switch o := req.GetFieldIndexParams().GetIndexParams().(type) {
	case *qdrant.PayloadIndexParams_KeywordIndexParams:
		byParams = int(indexKeyword)
	case *qdrant.PayloadIndexParams_IntegerIndexParams:
		byParams = int(indexInteger)
		ip := o.IntegerIndexParams
		if ip.Lookup != nil && ip.Range != nil && !ip.GetLookup() && !ip.GetRange() {
			return spec, invalid("Validation error in body: the integer index must have `lookup` or `range`")
		}
	case *qdrant.PayloadIndexParams_FloatIndexParams:
		byParams = int(indexFloat)
	case *qdrant.PayloadIndexParams_BoolIndexParams:
		byParams = int(indexBool)
	case *qdrant.PayloadIndexParams_DatetimeIndexParams:
		byParams = int(indexDatetime)
	}
	byType := -1
	if req.FieldType != nil {
		switch *req.FieldType {
		case qdrant.FieldType_FieldTypeKeyword:
			byType = int(indexKeyword)
		case qdrant.FieldType_FieldTypeInteger:
			byType = int(indexInteger)
		case qdrant.FieldType_FieldTypeFloat:
			byType = int(indexFloat)
		case qdrant.FieldType_FieldTypeBool:
			byType = int(indexBool)
		case qdrant.FieldType_FieldTypeDatetime:
			byType = int(indexDatetime)
		default:
			return spec, unsupported("parameter `field_type`=%s is not supported by the embedded server", req.FieldType)
		}
	}
	if byType < 0 {
		return spec, invalid("cannot convert field_type") // Qdrant's gRPC wants it even beside field_index_params
	}
	if byParams >= 0 && byType != byParams {
		return spec, invalid("field_type (%s) and field_index_params do not match", req.FieldType)
	}
	spec.kind = indexKind(byType)
	ip := req.GetFieldIndexParams().GetIntegerIndexParams()
	spec.order = spec.kind == indexFloat || spec.kind == indexDatetime ||
		spec.kind == indexInteger && (ip == nil || ip.Range == nil || *ip.Range)
	return spec, nil
}

// with is the schema with one index more, or a replaced one.
func (s *schema) with(spec indexSpec) *schema {
	t := *s
	t.indexes = slices.Clone(s.indexes)
	if i, ok := t.indexAt(spec.path.text); ok {
		t.indexes[i] = spec
	} else {
		t.indexes = slices.Insert(t.indexes, i, spec)
	}
	t.findTenant()
	return &t
}

// without is the schema less the index of a path.
func (s *schema) without(i int) *schema {
	t := *s
	t.indexes = slices.Delete(slices.Clone(s.indexes), i, i+1)
	t.findTenant()
	return &t
}

// findTenant picks the index that partitions: the first by path where there are several.
func (s *schema) findTenant() {
	s.tenant = slices.IndexFunc(s.indexes, indexSpec.tenant)
}

func sparseDatatype(p *qdrant.SparseVectorParams) *qdrant.Datatype {
	if p.GetIndex() == nil {
		return nil
	}
	return p.Index.Datatype
}
