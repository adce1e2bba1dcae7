package decide

import (
	"testing"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

func TestConcerns(t *testing.T) {
	wish := schema.Envelope{At: at(9), Seq: 9}
	for _, tc := range []struct {
		said, thing string
		opts        []func(*schema.Memory)
		want        bool
	}{
		{"My storage unit is B-14.", "storage unit", nil, true},
		{"I rent two Storage Units in Leeds", "storage unit", nil, false}, // "two" may count others
		{"I pay 40 euros for my storage units.", "storage unit", nil, true},
		{"The unit has storage.", "storage unit", nil, false},
		{"My email address is a@b.test", "address", nil, false},
		{"My address is 5 Elm Street", "address", nil, true},
		{"I love categories", "cat", nil, false},
		{"我的储物间在B栋14号。", "储物间", nil, true},
		{"我的銀行卡號是6222。", "银行卡号", nil, true},
		{"我的车位在B2。", "储物间", nil, false},
		{"My storage unit is B-14.", "storage unit", []func(*schema.Memory){class(schema.ClassOperator)}, false},
		{"My storage unit is B-14.", "storage unit", []func(*schema.Memory){class(schema.ClassTool)}, true},
		{"My storage unit is B-14.", "storage unit", []func(*schema.Memory){func(m *schema.Memory) { m.Source.Seq = 10 }}, false},
		{"My storage unit is B-14.", "storage unit", []func(*schema.Memory){func(m *schema.Memory) { m.ObservedAt = at(10) }}, false},
		{"My storage unit is B-14.", "storage unit", []func(*schema.Memory){func(m *schema.Memory) { m.Status = schema.StatusSuperseded }}, true},
		{"My storage unit is B-14.", "storage unit", []func(*schema.Memory){func(m *schema.Memory) { *m = Shell(*m) }}, false},
	} {
		m := said("a", 1, "x", append([]func(*schema.Memory){func(m *schema.Memory) { m.Content = tc.said }}, tc.opts...)...)
		if got := Concerns(&m, tc.thing, &wish); got != tc.want {
			t.Errorf("%q, %q: %t", tc.said, tc.thing, got)
		}
	}
}
