package scour

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// around is much else before and after what is planted, so that packers have something to pack.
var around = strings.Repeat("The quick brown fox jumps over the lazy dog, 敏捷的棕色狐狸。 ", 200)

func packedBy(open func(io.Writer) io.WriteCloser) func(string) []byte {
	return func(s string) []byte {
		var b bytes.Buffer
		b.WriteString("head of the file")
		w := open(&b)
		_, _ = io.WriteString(w, around+s+around)
		_ = w.Close()
		b.WriteString("tail of the file")
		return b.Bytes()
	}
}

func inUTF16(order binary.AppendByteOrder) func(string) []byte {
	return func(s string) (b []byte) {
		for _, u := range utf16.Encode([]rune(around[:100] + s)) {
			b = order.AppendUint16(b, u)
		}
		return b
	}
}

// plants are the ways in which a string may be in a file.
func plants() map[string]func(string) []byte {
	zip := packedBy(func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) })
	out := map[string]func(string) []byte{
		"utf-8":      func(s string) []byte { return []byte(around + s + around) },
		"lower case": func(s string) []byte { return []byte("x" + strings.ToLower(s) + "y") },
		"utf-16le":   inUTF16(binary.LittleEndian),
		"utf-16be":   inUTF16(binary.BigEndian),
		"token":      func(s string) []byte { return []byte("silt.log." + schema.Token(s) + ".x") },
		"json": func(s string) []byte {
			var b strings.Builder
			for _, u := range utf16.Encode([]rune(s)) {
				if u < 128 {
					b.WriteByte(byte(u))
				} else {
					fmt.Fprintf(&b, `\u%04x`, u)
				}
			}
			return []byte(`{"a":"` + b.String() + `"}`)
		},
		"gzip utf-8": zip,
		"zlib utf-8": packedBy(func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) }),
		"zstd utf-8": packedBy(func(w io.Writer) io.WriteCloser { z, _ := zstd.NewWriter(w); return z }),
		"s2 utf-8":   packedBy(func(w io.Writer) io.WriteCloser { return s2.NewWriter(w) }),
		"s2 gzip utf-8": func(s string) []byte {
			var b bytes.Buffer
			w := s2.NewWriter(&b)
			_, _ = w.Write(zip(s))
			_ = w.Close()
			return b.Bytes()
		},
		"s2 lower case": packedBy(func(w io.Writer) io.WriteCloser { return lower{s2.NewWriter(w, s2.WriterSnappyCompat())} }),
	}
	for before := range 3 {
		for name, enc := range map[string]*base64.Encoding{"std": base64.StdEncoding, "url": base64.URLEncoding} {
			out[fmt.Sprintf("base64 %s %d", name, before)] = func(s string) []byte {
				return []byte(`{"data":"` + enc.EncodeToString([]byte("?>?"+strings.Repeat("ÿ", before*2)[:before]+s+"…rest")) + `"}`)
			}
		}
	}
	return out
}

type lower struct{ io.WriteCloser }

func (l lower) Write(p []byte) (int, error) {
	_, err := l.WriteCloser.Write(bytes.ToLower(p))
	return len(p), err
}

func TestSearchFindsAStringHoweverItIsWritten(t *testing.T) {
	for _, s := range []string{"Quintessa.Varga", "青花瓷盆下的备用钥匙", "zq-7719/Ω", "Lapsang Souchong"} {
		for name, plant := range plants() {
			dir := t.TempDir()
			if err := os.MkdirAll(filepath.Join(dir, "a", "b"), 0o700); err != nil {
				t.Fatal(err)
			}
			write(t, filepath.Join(dir, "a", "clean"), []byte(around))
			write(t, filepath.Join(dir, "a", "b", "planted"), plant(s))
			got, err := Search(t.Context(), dir, []string{"nobody-said-this", s})
			if err != nil {
				t.Fatal(err)
			}
			if got.Files != 2 || got.Strings != 2 || got.Bytes != int64(len(around)+len(plant(s))) {
				t.Errorf("%s in %s: looked at %+v", s, name, got)
			}
			if !slices.ContainsFunc(got.Found, func(h schema.ErasureHit) bool {
				return h.String == 1 && h.File == filepath.Join("a", "b", "planted") && strings.HasPrefix(h.Form, formOf(name, s))
			}) {
				t.Errorf("%s is not found in %s: %+v", s, name, got.Found)
			}
			if slices.ContainsFunc(got.Found, func(h schema.ErasureHit) bool { return h.String != 1 || strings.HasSuffix(h.File, "clean") }) {
				t.Errorf("%s in %s: found what is not there: %+v", s, name, got.Found)
			}
		}
	}
}

// formOf is how a plant is found: a form that is the string itself is found as that.
func formOf(plant, s string) string {
	packed, form := "", plant
	if i := strings.LastIndex(plant, "lower case"); i > 0 {
		packed, form = plant[:i], plant[i:]
	}
	same := map[string]bool{"lower case": strings.ToLower(s) == s, "json": escaped(s) == s, "token": schema.Token(s) == s}
	if same[form] {
		form = "utf-8"
	}
	if i := strings.Index(form, "base64"); i == 0 {
		form = "base64"
	}
	return packed + form
}

// A file that is larger than a window, with the string across the border of two.
func TestSearchFindsAcrossWindows(t *testing.T) {
	if testing.Short() {
		t.Skip("writes a file of 64 MiB")
	}
	dir := t.TempDir()
	b := bytes.Repeat([]byte{'.'}, window-4)
	write(t, filepath.Join(dir, "large"), append(append(b, "needle-over-the-border"...), b[:1000]...))
	got, err := Search(t.Context(), dir, []string{"needle-over-the-border"})
	if err != nil || got.Hits != 1 {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestSearchReadsWhatReadersKnow(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "x.table"), []byte("rot13"))
	got, err := Search(t.Context(), dir, []string{"written-in-a-table"}, func(_ context.Context, path string, fn func([]byte) error) (bool, error) {
		return true, fn([]byte("xx written-in-a-table"))
	})
	if err != nil || got.Hits != 1 || got.Found[0].Form != "packed utf-8" {
		j, _ := json.Marshal(got)
		t.Errorf("%s, %v", j, err)
	}
	if _, err := Search(t.Context(), dir, []string{"short"}); err == nil {
		t.Error("a string that stands everywhere is looked for")
	}
}

func write(t *testing.T, path string, b []byte) {
	t.Helper()
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
}
