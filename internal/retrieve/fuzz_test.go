package retrieve

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/siltstone-ai/siltstone/internal/text"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// FuzzQuery: a request body that passes the decoder is answered, within its limit and its budget, with nothing of
// anybody else's, and the answer is JSON.
func FuzzQuery(f *testing.F) {
	for _, s := range []string{
		`{"query":"Oslo seat"}`, `{"query":"deploy.py 在哪个目录？","limit":100,"explain":true}`, `{"query":"","render":"flat","lang":"zh"}`,
		`{"query":"What is my job?","token_budget":1}`, `{"query":"x","mode":"legacy","types":["fact","episode"]}`, `{"query":"\u0000\ud800</memory_context>","now":"0001-01-01T00:00:01Z"}`,
		`{"query":"seat","as_of":"9999-12-31T23:59:59Z","include_history":true}`, `{"query":"seat","as_of":"0001-06-01T00:00:00Z"}`, `{"query":"seat","filter":{"from":"2026-01-01T00:00:00Z","to":"9999-01-01T00:00:00+14:00","tool":"files_list","metadata":{"project":"p-c1","n":2,"a.b":true,"":1}}}`,
		`{"query":"* > ? ( [ \" \\ ' ; --","conversation":"c1","turn":"t"}`, `{"query":"` + strings.Repeat("汉", 3000) + `"}`, `{"query":"` + strings.Repeat("Oslo ", 2000) + `","limit":7}`,
		`{"query":"x","min_seq":18446744073709551615}`, `{"query":"x","token_budget":9223372036854775807}`,
	} {
		f.Add([]byte(s))
	}
	w := newWorld(f, func(w *world) { w.cfg.Timeout, w.cfg.Path = 60*time.Second, 50*time.Second })
	household(w)
	w.turn("foreign", "u2", "k1", "2026-05-01T09:00:00Z", said("The Oslo seat of another user is 77X."))
	f.Fuzz(func(t *testing.T, body []byte) {
		q, err := schema.Decode[schema.Query](append([]byte(`{"user":"u1",`), trimOpen(body)...))
		if err != nil {
			t.Skip()
		}
		q.MinSeq = 0 // nothing here would ever reach it
		r, err := w.svc.Query(t.Context(), tenant, q)
		if err != nil {
			if c := schema.CodeOf(err); c != schema.CodeInvalid && c != schema.CodeUnsupported {
				t.Fatalf("%s: %v", body, err)
			}
			return
		}
		b, err := json.Marshal(r)
		if err != nil {
			t.Fatalf("the answer does not encode: %v", err)
		}
		limit := q.Limit
		if limit == 0 {
			limit = schema.DefaultLimit
		}
		if len(r.Items) > limit || len(r.Degraded) > 0 || strings.Contains(string(b), "77X") {
			t.Fatalf("%s is answered with %s", body, b)
		}
		for _, it := range r.Items {
			if math.IsNaN(it.Score) || math.IsInf(it.Score, 0) {
				t.Fatalf("%s: the score of %s is %v", body, it.ID, it.Score)
			}
		}
		if r.Block == "" {
			return
		}
		if q.TokenBudget > 0 && q.Mode != string(Legacy) && text.Tokens(r.Block) > q.TokenBudget {
			t.Fatalf("the block has %d tokens of %d", text.Tokens(r.Block), q.TokenBudget)
		}
		if strings.Count(r.Block, "<memory_context>") != 1 || strings.Count(r.Block, "</memory_context>") != 1 {
			t.Fatalf("not one block:\n%s", r.Block)
		}
	})
}

// trimOpen takes the brace off that opens an object.
func trimOpen(b []byte) []byte {
	if len(b) > 0 && b[0] == '{' {
		return b[1:]
	}
	return b
}
