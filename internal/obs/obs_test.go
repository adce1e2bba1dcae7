package obs

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"testing"
)

func TestNewLogger(t *testing.T) {
	var b bytes.Buffer
	l, err := NewLogger(&b, "warn", "json")
	if err != nil {
		t.Fatal(err)
	}
	l.Info("hidden")
	l.Warn("shown", KeySeq, 7)
	var line map[string]any
	if err := json.Unmarshal(b.Bytes(), &line); err != nil || line["msg"] != "shown" || line["seq"] != 7.0 {
		t.Errorf("log is %s (%v)", b.Bytes(), err)
	}
	if _, err := NewLogger(&b, "loud", "text"); err == nil {
		t.Error("level loud is taken")
	}
	if _, err := NewLogger(&b, "info", "xml"); err == nil {
		t.Error("format xml is taken")
	}
}

func TestHealthNamesWhatFails(t *testing.T) {
	var h Health
	h.Add("redis", func(context.Context) error { return errors.New("down") })
	h.Add("nats", func(context.Context) error { return nil })
	h.Add("log", func(ctx context.Context) error { return ctx.Err() })
	got := h.Failing(t.Context())
	if len(got) != 1 || got[0].Name != "redis" {
		t.Errorf("failing: %v", got)
	}
}
