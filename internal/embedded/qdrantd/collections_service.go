package qdrantd

import (
	"context"
	"slices"
	"time"

	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

type collectionsService struct {
	qdrant.UnimplementedCollectionsServer
	s *Server
}

// Create implements qdrant.CollectionsServer.
func (cs *collectionsService) Create(_ context.Context, req *qdrant.CreateCollection) (*qdrant.CollectionOperationResponse, error) {
	start := time.Now()
	leave, err := cs.s.enter(req)
	if err != nil {
		return nil, err
	}
	defer leave()
	sc, err := newSchema(req)
	if err != nil {
		return nil, err
	}
	done, err := cs.s.store.writing()
	if err != nil {
		return nil, err
	}
	defer done()
	cs.s.mu.Lock()
	defer cs.s.mu.Unlock()
	if _, exists := cs.s.collections[req.GetCollectionName()]; exists {
		return nil, status.Errorf(codes.AlreadyExists, "Wrong input: Collection `%s` already exists!", req.GetCollectionName())
	}
	if err := cs.s.store.room.err(); err != nil {
		return nil, status.Errorf(codes.Unavailable, "%v", err)
	}
	c := newCollection(cs.s.store, cs.s.next, sc)
	if err := cs.s.store.putCollection(c, sc, c.id+1); err != nil {
		return nil, internal("store the collection: %v", err)
	}
	cs.s.next++
	cs.s.collections[c.name] = c
	return &qdrant.CollectionOperationResponse{Result: true, Time: time.Since(start).Seconds()}, nil
}

// Delete implements qdrant.CollectionsServer. The answer's result is false where there was no such collection.
func (cs *collectionsService) Delete(_ context.Context, req *qdrant.DeleteCollection) (*qdrant.CollectionOperationResponse, error) {
	start := time.Now()
	leave, err := cs.s.enter(req)
	if err != nil {
		return nil, err
	}
	defer leave()
	done, err := cs.s.store.writing()
	if err != nil {
		return nil, err
	}
	defer done()
	cs.s.mu.Lock()
	defer cs.s.mu.Unlock()
	c := cs.s.collections[req.GetCollectionName()]
	if c != nil {
		c.writeMu.Lock()
		defer c.writeMu.Unlock()
		if err := cs.s.store.deleteCollection(c.id); err != nil {
			return nil, internal("delete the collection: %v", err)
		}
		c.dropped = true
		delete(cs.s.collections, c.name)
	}
	return &qdrant.CollectionOperationResponse{Result: c != nil, Time: time.Since(start).Seconds()}, nil
}

// List implements qdrant.CollectionsServer.
func (cs *collectionsService) List(_ context.Context, req *qdrant.ListCollectionsRequest) (*qdrant.ListCollectionsResponse, error) {
	start := time.Now()
	leave, err := cs.s.enter(req)
	if err != nil {
		return nil, err
	}
	defer leave()
	cs.s.mu.RLock()
	names := make([]string, 0, len(cs.s.collections))
	for name := range cs.s.collections {
		names = append(names, name)
	}
	cs.s.mu.RUnlock()
	slices.Sort(names)
	out := &qdrant.ListCollectionsResponse{}
	for _, name := range names {
		out.Collections = append(out.Collections, &qdrant.CollectionDescription{Name: name})
	}
	out.Time = time.Since(start).Seconds()
	return out, nil
}

// CollectionExists implements qdrant.CollectionsServer.
func (cs *collectionsService) CollectionExists(_ context.Context, req *qdrant.CollectionExistsRequest) (*qdrant.CollectionExistsResponse, error) {
	start := time.Now()
	leave, err := cs.s.enter(req)
	if err != nil {
		return nil, err
	}
	defer leave()
	_, err = cs.s.collection(req.GetCollectionName())
	if status.Code(err) == codes.InvalidArgument {
		return nil, err
	}
	return &qdrant.CollectionExistsResponse{Result: &qdrant.CollectionExists{Exists: err == nil}, Time: time.Since(start).Seconds()}, nil
}

// Get implements qdrant.CollectionsServer.
func (cs *collectionsService) Get(_ context.Context, req *qdrant.GetCollectionInfoRequest) (*qdrant.GetCollectionInfoResponse, error) {
	start := time.Now()
	leave, err := cs.s.enter(req)
	if err != nil {
		return nil, err
	}
	defer leave()
	c, err := cs.s.collection(req.GetCollectionName())
	if err != nil {
		return nil, err
	}
	return &qdrant.GetCollectionInfoResponse{Result: c.info(), Time: time.Since(start).Seconds()}, nil
}

var schemaTypes = [...]qdrant.PayloadSchemaType{
	indexKeyword: qdrant.PayloadSchemaType_Keyword, indexInteger: qdrant.PayloadSchemaType_Integer,
	indexFloat: qdrant.PayloadSchemaType_Float, indexBool: qdrant.PayloadSchemaType_Bool,
	indexDatetime: qdrant.PayloadSchemaType_Datetime,
}

func (c *collection) info() *qdrant.CollectionInfo {
	c.mu.RLock()
	defer c.mu.RUnlock()
	sc := c.schema
	vectors := 0
	fields := make([]int, len(sc.indexes))
	for _, p := range c.parts {
		p.mu.RLock()
		for i := range p.dense {
			vectors += len(p.dense[i].row)
		}
		for i, f := range p.fields {
			fields[i] += f.points
		}
		p.mu.RUnlock()
	}
	one := uint32(1)
	create := proto.Clone(sc.create).(*qdrant.CreateCollection)
	info := &qdrant.CollectionInfo{
		Status:          qdrant.CollectionStatus_Green,
		OptimizerStatus: &qdrant.OptimizerStatus{Ok: true},
		SegmentsCount:   1,
		PayloadSchema:   map[string]*qdrant.PayloadSchemaInfo{},
		PointsCount:     proto.Uint64(uint64(len(c.where))),
		// Every dense vector counts as indexed: none is ever left out of a search.
		IndexedVectorsCount: proto.Uint64(uint64(vectors)),
		UpdateQueue:         &qdrant.UpdateQueueInfo{},
		Config: &qdrant.CollectionConfig{
			Params: &qdrant.CollectionParams{
				ShardNumber: 1, ReplicationFactor: &one, WriteConsistencyFactor: &one, OnDiskPayload: create.GetOnDiskPayload(),
				VectorsConfig: create.VectorsConfig, SparseVectorsConfig: create.SparseVectorsConfig,
			},
			HnswConfig: orEmpty(create.HnswConfig), OptimizerConfig: orEmpty(create.OptimizersConfig), WalConfig: orEmpty(create.WalConfig),
			Metadata: create.Metadata,
		},
	}
	for i := range sc.indexes {
		ix := &sc.indexes[i]
		info.PayloadSchema[ix.path.text] = &qdrant.PayloadSchemaInfo{
			DataType: schemaTypes[ix.kind], Params: proto.Clone(ix.req).(*qdrant.CreateFieldIndexCollection).FieldIndexParams,
			Points: proto.Uint64(uint64(fields[i])),
		}
	}
	return info
}

func orEmpty[T any](p *T) *T {
	if p == nil {
		return new(T)
	}
	return p
}
