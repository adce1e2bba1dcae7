package embed

import (
	"math"
	"strings"
	"testing"

	"github.com/siltstone-ai/siltstone/internal/outbound"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// FuzzOpenAIReply: whatever an embeddings server answers, it is as many unit vectors as were asked for, or an error
// that another try may mend.
func FuzzOpenAIReply(f *testing.F) {
	for _, s := range []string{
		`{"data":[{"index":0,"embedding":[1,2,2]},{"index":1,"embedding":[0,0,1]}]}`, `{"data":[{"embedding":[1,2,2]},{"embedding":[0,0,1]}]}`,
		`{"data":[{"index":1,"embedding":[1,2,2]},{"index":0,"embedding":[0,0,1]}]}`, `{"data":[{"index":0,"embedding":[1,2,2]},{"index":0,"embedding":[0,0,1]}]}`,
		`{"data":[{"index":-1,"embedding":[1,2,2]},{"embedding":[null,0,1]}]}`, `{"data":[{"embedding":[1e300,1e300,1e300]},{"embedding":[1e-300,0,0]}]}`,
		`{"data":[{"embedding":[3e38,3e38,3e38]},{"embedding":[1e-9,1e-9,1e-9]}]}`, `{"data":[{"embedding":[0,0,0]},{"embedding":[0,0,1]}]}`,
		`{"data":null}`, `{"data":[]}`, `[]`, `null`, ``, `{"error":{"type":"canary","message":"the canary text"}}`, `{"error":"x"}`, strings.Repeat(`{"data":[`, 100), "\xff", `{"data":[{"index":9223372036854775807,"embedding":[1]}]}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		const texts, dim = 2, 3
		for _, o := range []*OpenAI{{dim: dim, api: &outbound.API{}}, {api: &outbound.API{}}} {
			vs, err := o.vectors(body, texts)
			if err != nil {
				if schema.IsPermanent(err) {
					t.Fatalf("nonsense from a server costs the event: %v", err)
				}
				continue
			}
			if len(vs) != texts {
				t.Fatalf("%d vectors", len(vs))
			}
			for _, v := range vs {
				n := 0.0
				for _, x := range v {
					n += float64(x) * float64(x)
				}
				if !(math.Abs(n-1) < 1e-3) || o.dim > 0 && len(v) != dim {
					t.Fatalf("a vector of %d dimensions and length² %v", len(v), n)
				}
			}
		}
	})
}
