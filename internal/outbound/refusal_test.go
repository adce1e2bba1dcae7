package outbound

import (
	"net/http"
	"strings"
	"testing"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// FuzzRefusal: whatever a server refuses with, the error quotes nothing of it, and only what it says about the input is
// held against the input.
func FuzzRefusal(f *testing.F) {
	for _, s := range []string{`{"error":{"type":"canary","message":"the canary text"}}`, `{"error":"x"}`, `null`, ``, "\xff", strings.Repeat(`{"error":`, 100), `{"error":{"type":"two words"}}`} {
		f.Add([]byte(s), uint16(400), "10")
		f.Add([]byte(s), uint16(503), "Wed, 21 Oct 2099 07:28:00 GMT")
		f.Add([]byte(s), uint16(307), "-1")
	}
	a := &API{cfg: APIConfig{Name: "model"}}
	f.Fuzz(func(t *testing.T, body []byte, status uint16, after string) {
		if status == http.StatusOK {
			return
		}
		again, err := a.refusal(&http.Response{StatusCode: int(status), Header: http.Header{"Retry-After": {after}}}, body)
		input := status == 400 || status == 413 || status == 422
		if err == nil || schema.IsPermanent(err) != input || again && input || schema.RetryAfter(err) < 0 {
			t.Fatalf("%d is %v (again %v)", status, err, again)
		}
		if s := err.Error(); len(s) > 200 || strings.ContainsAny(s, "\r\n") || strings.Contains(s, "canary text") {
			t.Fatalf("the error is %q", s)
		}
	})
}
