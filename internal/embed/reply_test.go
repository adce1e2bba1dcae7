package embed

import (
	"math"
	"net/http"
	"strings"
	"testing"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// FuzzOpenAIReply: whatever an embeddings server answers, it is as many unit vectors as were asked for, or an error
// that quotes nothing of it; and only what it says about the input is held against the input.
func FuzzOpenAIReply(f *testing.F) {
	for _, s := range []string{
		`{"data":[{"index":0,"embedding":[1,2,2]},{"index":1,"embedding":[0,0,1]}]}`, `{"data":[{"embedding":[1,2,2]},{"embedding":[0,0,1]}]}`,
		`{"data":[{"index":1,"embedding":[1,2,2]},{"index":0,"embedding":[0,0,1]}]}`, `{"data":[{"index":0,"embedding":[1,2,2]},{"index":0,"embedding":[0,0,1]}]}`,
		`{"data":[{"index":-1,"embedding":[1,2,2]},{"embedding":[null,0,1]}]}`, `{"data":[{"embedding":[1e300,1e300,1e300]},{"embedding":[1e-300,0,0]}]}`,
		`{"data":[{"embedding":[3e38,3e38,3e38]},{"embedding":[1e-9,1e-9,1e-9]}]}`, `{"data":[{"embedding":[0,0,0]},{"embedding":[0,0,1]}]}`,
		`{"data":null}`, `{"data":[]}`, `[]`, `null`, ``, `{"error":{"type":"canary","message":"the canary text"}}`, `{"error":"x"}`, strings.Repeat(`{"data":[`, 100), "\xff", `{"data":[{"index":9223372036854775807,"embedding":[1]}]}`,
	} {
		f.Add([]byte(s), uint16(200), "")
		f.Add([]byte(s), uint16(400), "10")
		f.Add([]byte(s), uint16(503), "Wed, 21 Oct 2099 07:28:00 GMT")
	}
	f.Fuzz(func(t *testing.T, body []byte, status uint16, after string) {
		const texts, dim = 2, 3
		for _, o := range []*OpenAI{{dim: dim}, {}} {
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
		if status == http.StatusOK {
			return
		}
		again, err := refusal(&http.Response{StatusCode: int(status), Header: http.Header{"Retry-After": {after}}}, body)
		input := status == 400 || status == 413 || status == 422
		if err == nil || schema.IsPermanent(err) != input || again && input || schema.RetryAfter(err) < 0 {
			t.Fatalf("%d is %v (again %v)", status, err, again)
		}
		if s := err.Error(); len(s) > 200 || strings.ContainsAny(s, "\r\n") {
			t.Fatalf("the error is %q", s)
		}
	})
}
