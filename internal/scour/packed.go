package scour

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"io"

	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
)

// packing is a way of packing that says by its first bytes that it is one.
type packing struct {
	name  string
	magic [][]byte
	open  func(io.Reader) (io.Reader, error)
}

var packings = []packing{
	{"gzip", [][]byte{{0x1f, 0x8b, 8}}, func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) }},
	{"zlib", [][]byte{{0x78, 0x01}, {0x78, 0x5e}, {0x78, 0x9c}, {0x78, 0xda}}, func(r io.Reader) (io.Reader, error) { return zlib.NewReader(r) }},
	{"zstd", [][]byte{{0x28, 0xb5, 0x2f, 0xfd}}, func(r io.Reader) (io.Reader, error) {
		d, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(mostUnpacked))
		if err != nil {
			return nil, err
		}
		return d.IOReadCloser(), nil
	}},
	{"s2", [][]byte{[]byte("\xff\x06\x00\x00sNaPpY"), []byte("\xff\x06\x00\x00S2sTwO")}, func(r io.Reader) (io.Reader, error) {
		return s2.NewReader(r), nil
	}},
}

// Bounds of what is unpacked: of one stream, and of streams within streams.
const (
	mostUnpacked = 64 << 20
	deepest      = 3
)

// eachPacked calls fn with everything that something packed in b holds, as far as it can be unpacked.
func eachPacked(b []byte, fn func(name string, unpacked []byte)) {
	for _, p := range packings {
		for _, magic := range p.magic {
			for at := 0; ; at++ {
				i := bytes.Index(b[at:], magic)
				if i < 0 {
					break
				}
				at += i
				if u := unpack(p, b[at:]); len(u) > 0 {
					fn(p.name, u)
				}
			}
		}
	}
}

// unpack is what b begins with, unpacked until it ends or is no more of that packing.
func unpack(p packing, b []byte) []byte {
	r, err := p.open(bytes.NewReader(b))
	if err != nil {
		return nil
	}
	if c, ok := r.(io.Closer); ok {
		defer c.Close()
	}
	var out bytes.Buffer
	_, _ = io.Copy(&out, io.LimitReader(r, mostUnpacked)) // what came before a fault counts
	return out.Bytes()
}
