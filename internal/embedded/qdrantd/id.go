package qdrantd

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"

	"github.com/google/uuid"
	"github.com/qdrant/go-client/qdrant"
)

// pointID is a point's id in a form that sorts as Qdrant sorts: numbers by value, then UUIDs by bytes. It is also the
// id's part of a storage key.
type pointID [17]byte

const (
	idNum  = 0 // then 8 bytes, big endian, then zeros
	idUUID = 1 // then 16 bytes
)

func numID(n uint64) (id pointID) {
	id[0] = idNum
	binary.BigEndian.PutUint64(id[1:9], n)
	return id
}

// parseID reads an id from a request. Any form of UUID that uuid.Parse knows is taken, as Qdrant does.
func parseID(p *qdrant.PointId) (pointID, error) {
	switch o := p.GetPointIdOptions().(type) {
	case *qdrant.PointId_Num:
		return numID(o.Num), nil
	case *qdrant.PointId_Uuid:
		u, err := uuid.Parse(o.Uuid)
		if err != nil {
			return pointID{}, invalid("Unable to parse UUID: %s", o.Uuid)
		}
		var id pointID
		id[0] = idUUID
		copy(id[1:], u[:])
		return id, nil
	default:
		return pointID{}, invalid("Empty PointId")
	}
}

func parseIDs(ps []*qdrant.PointId) ([]pointID, error) {
	ids := make([]pointID, len(ps))
	for i, p := range ps {
		id, err := parseID(p)
		if err != nil {
			return nil, err
		}
		ids[i] = id
	}
	return ids, nil
}

func (id pointID) num() uint64 { return binary.BigEndian.Uint64(id[1:9]) }

func (id pointID) proto() *qdrant.PointId {
	if id[0] == idNum {
		return &qdrant.PointId{PointIdOptions: &qdrant.PointId_Num{Num: id.num()}}
	}
	return &qdrant.PointId{PointIdOptions: &qdrant.PointId_Uuid{Uuid: uuid.UUID(id[1:]).String()}}
}

func (id pointID) String() string {
	if id[0] == idNum {
		return strconv.FormatUint(id.num(), 10)
	}
	return uuid.UUID(id[1:]).String()
}

// idFromKey reads the id of a storage key.
func idFromKey(b []byte) (id pointID, err error) {
	if len(b) != len(id) || b[0] > idUUID {
		return id, fmt.Errorf("malformed point id %x in the store", b)
	}
	copy(id[:], b)
	return id, nil
}

func compareIDs(a, b *pointID) int { return bytes.Compare(a[:], b[:]) }

func sortIDs(ids []pointID) {
	slices.SortFunc(ids, func(a, b pointID) int { return compareIDs(&a, &b) })
}
