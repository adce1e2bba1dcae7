package qdrant

import (
	"context"
	"fmt"
	"strconv"

	"github.com/qdrant/go-client/qdrant"
	"golang.org/x/sync/errgroup"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// layout is what a collection holds: which vectors, and which payload keys are filtered or ordered on.
type layout struct {
	dense, terms bool
	keywords     []string
	integers     []string // matched and ordered
	lookups      []string // integers that are matched only
	floats       []string
	bools        []string
}

// layouts of all collections. A key that is filtered on without standing here still works, by reading every point
// of the owner; the keys under metadata, which clients choose, are of that kind.
var layouts = map[schema.Collection]layout{
	schema.Events: {
		keywords: []string{schema.KeyTenant, schema.KeyEvent, schema.KeyEventID, schema.KeyConversation, schema.KeyAgent, schema.KeyOutcome, schema.KeyBodyHash, schema.KeyClass},
		integers: []string{schema.KeyAt, schema.KeySeq},
	},
	schema.Passages: {
		dense: true, terms: true,
		keywords: []string{schema.KeyTenant, schema.KeyEvent, schema.KeyEventID, schema.KeyConversation, schema.KeyAgent, schema.KeySpeaker, schema.KeySegKind,
			schema.KeyTools, schema.KeyKeywords, schema.KeyTags, schema.KeyLang, schema.KeyHash, schema.KeyClass, schema.KeyStatus},
		integers: []string{schema.KeyAt, schema.KeySeq},
		lookups:  []string{schema.KeyTerms},
	},
	schema.Facts: {
		dense: true, terms: true,
		keywords: []string{schema.KeyTenant, schema.KeyEvent, schema.KeyEventID, schema.KeyConversation, schema.KeyTools, schema.KeyType, schema.KeyKind, schema.KeyStatus,
			schema.KeySlot, schema.KeyGroup, schema.KeySupersededBy, schema.KeyLang, schema.KeyHash, schema.KeyClass},
		integers: []string{schema.KeyAt, schema.KeySeq, schema.KeyValidTo, schema.KeyExpiresAt},
		lookups:  []string{schema.KeyTerms},
		floats:   []string{schema.KeyConfidence},
		bools:    []string{schema.KeyPinned},
	},
	schema.Triples: {
		terms: true,
		keywords: []string{schema.KeyTenant, schema.KeyEvent, schema.KeyEventID, schema.KeyTool, schema.KeySubject, schema.KeyPredicate, schema.KeyObject,
			schema.KeyClass},
		integers: []string{schema.KeyAt, schema.KeySeq, schema.KeyValidTo},
		lookups:  []string{schema.KeyTerms},
	},
}

// EnsureGeneration makes the collections of a generation with their indexes, for dense vectors of dim numbers. It
// is idempotent and may run in several processes at once; what exists with another dimension is a permanent error.
// It blocks until the server has made everything.
func (s *Store) EnsureGeneration(ctx context.Context, gen, dim int) error {
	if gen < 0 || dim < 1 || dim > 65536 {
		return schema.Invalid("dim", "generation %d with %d dimensions: must be at least 0, and 1 to 65536", gen, dim)
	}
	if err := s.Ping(ctx); err != nil {
		return err
	}
	g, ctx := errgroup.WithContext(ctx)
	for _, c := range schema.Collections {
		g.Go(func() error { return s.ensure(ctx, gen, c, dim) })
	}
	return g.Wait()
}

func (s *Store) ensure(ctx context.Context, gen int, c schema.Collection, dim int) error {
	name, lay := s.name(gen, c), layouts[c]
	op := "make collection " + name
	info, err := s.info(ctx, name)
	if missing(err) {
		made := fail(op, s.create(ctx, name, lay, dim))
		// Another process may have been faster; servers differ in the code they give for it.
		if info, err = s.info(ctx, name); made != nil && err != nil {
			return made
		}
	}
	if err != nil {
		return fail("describe collection "+name, err)
	}
	if lay.dense {
		got := info.GetConfig().GetParams().GetVectorsConfig().GetParamsMap().GetMap()[schema.VectorDense].GetSize()
		if got != uint64(dim) {
			return schema.Permanent(schema.CodeConflict, nil, "collection %s holds vectors of %d dimensions and the embedder makes %d: replay into a new generation", name, got, dim)
		}
	}
	for _, ix := range s.indexes(c, lay) {
		if _, there := info.GetPayloadSchema()[ix.GetFieldName()]; there {
			continue
		}
		ix.CollectionName, ix.Wait = name, qdrant.PtrOf(true)
		if err := s.index(ctx, op, ix); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) info(ctx context.Context, name string) (*qdrant.CollectionInfo, error) {
	ctx, cancel := s.bound(ctx)
	defer cancel()
	return s.client.GetCollectionInfo(ctx, name)
}

// Missing lists the collections that a generation should have and has not: all of them before
// [Store.EnsureGeneration] has run for the first time, or where the server's data was lost.
func (s *Store) Missing(ctx context.Context, gen int) ([]schema.Collection, error) {
	if err := s.Ping(ctx); err != nil {
		return nil, err
	}
	var out []schema.Collection
	for _, c := range schema.Collections {
		switch _, err := s.info(ctx, s.name(gen, c)); {
		case missing(err):
			out = append(out, c)
		case err != nil:
			return nil, fail("describe collection "+s.name(gen, c), err)
		}
	}
	return out, nil
}

// Dense reports whether a collection holds vectors of the embedder.
func Dense(c schema.Collection) bool { return layouts[c].dense }

func (s *Store) index(ctx context.Context, op string, ix *qdrant.CreateFieldIndexCollection) error {
	ctx, cancel := s.bound(ctx)
	defer cancel()
	r, err := s.client.CreateFieldIndex(ctx, ix)
	return completed(fmt.Sprintf("%s: index %s", op, ix.GetFieldName()), r, err)
}

func (s *Store) create(ctx context.Context, name string, lay layout, dim int) error {
	ctx, cancel := s.bound(ctx)
	defer cancel()
	req := &qdrant.CreateCollection{
		CollectionName: name,
		// One graph an owner instead of one for all: every search names its owner. From the server's guide to
		// multitenancy (m = 0, payload_m = 16).
		HnswConfig: &qdrant.HnswConfigDiff{M: qdrant.PtrOf(uint64(0)), PayloadM: qdrant.PtrOf(uint64(16))},
	}
	vectors := map[string]*qdrant.VectorParams{}
	if lay.dense {
		vectors[schema.VectorDense] = &qdrant.VectorParams{Size: uint64(dim), Distance: qdrant.Distance_Cosine}
	}
	req.VectorsConfig = qdrant.NewVectorsConfigMap(vectors)
	if lay.terms {
		// Without the server's own IDF: it counts every tenant's documents. The query carries the weights.
		req.SparseVectorsConfig = qdrant.NewSparseVectorsConfig(map[string]*qdrant.SparseVectorParams{schema.VectorTerms: {}})
	}
	return s.client.CreateCollection(ctx, req)
}

func (s *Store) indexes(c schema.Collection, lay layout) []*qdrant.CreateFieldIndexCollection {
	var out []*qdrant.CreateFieldIndexCollection
	add := func(t qdrant.FieldType, p *qdrant.PayloadIndexParams, keys ...string) {
		for _, k := range keys {
			out = append(out, &qdrant.CreateFieldIndexCollection{FieldName: k, FieldType: qdrant.PtrOf(t), FieldIndexParams: p})
		}
	}
	add(qdrant.FieldType_FieldTypeKeyword, qdrant.NewPayloadIndexParamsKeyword(&qdrant.KeywordIndexParams{IsTenant: qdrant.PtrOf(true)}), schema.KeyOwner)
	add(qdrant.FieldType_FieldTypeKeyword, nil, lay.keywords...)
	add(qdrant.FieldType_FieldTypeInteger, qdrant.NewPayloadIndexParamsInt(&qdrant.IntegerIndexParams{Lookup: qdrant.PtrOf(true), Range: qdrant.PtrOf(true)}), lay.integers...)
	add(qdrant.FieldType_FieldTypeInteger, qdrant.NewPayloadIndexParamsInt(&qdrant.IntegerIndexParams{Lookup: qdrant.PtrOf(true), Range: qdrant.PtrOf(false)}), lay.lookups...)
	add(qdrant.FieldType_FieldTypeFloat, nil, lay.floats...)
	add(qdrant.FieldType_FieldTypeBool, nil, lay.bools...)
	if c == schema.Events {
		for _, st := range s.stages {
			add(qdrant.FieldType_FieldTypeBool, nil, schema.KeyDone+st)
		}
	}
	return out
}

// DropGeneration deletes the collections of a generation. What is not there is no error.
func (s *Store) DropGeneration(ctx context.Context, gen int) error {
	for _, c := range schema.Collections {
		if err := s.drop(ctx, s.name(gen, c)); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) drop(ctx context.Context, name string) error {
	ctx, cancel := s.bound(ctx)
	defer cancel()
	op := "drop collection " + name
	// The client reports "nothing deleted" as an error without a code: look first.
	switch there, err := s.client.CollectionExists(ctx, name); {
	case err != nil:
		return fail(op, err)
	case !there:
		return nil
	}
	if err := s.client.DeleteCollection(ctx, name); !missing(err) {
		return fail(op, err)
	}
	return nil
}

// Generations lists the generations that have collections, in no order.
func (s *Store) Generations(ctx context.Context) ([]int, error) {
	ctx, cancel := s.bound(ctx)
	defer cancel()
	names, err := s.client.ListCollections(ctx)
	if err != nil {
		return nil, fail("list collections", err)
	}
	prefix := s.prefix + string(schema.Events) + "_"
	var out []int
	for _, n := range names {
		if len(n) > len(prefix) && n[:len(prefix)] == prefix {
			if g, err := strconv.Atoi(n[len(prefix):]); err == nil {
				out = append(out, g)
			}
		}
	}
	return out, nil
}
