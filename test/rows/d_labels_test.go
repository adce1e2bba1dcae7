package rows

import (
	"testing"

	"github.com/siltstone-ai/siltstone/test/stacktest"
)

// Where somebody moved is found by the question where he lives, which shares no word with it.
func TestD4_WhatIsAskedForByNameIsFound(t *testing.T) {
	for said, find := range map[string]string{"我搬到了深圳南山。": "深圳南山", "I moved to Munich.": "Munich"} {
		t.Run(find, func(t *testing.T) {
			c := tenant(t)
			c.Put(turn("move", said, "OK."), turn("boat", "The boat lies in the harbour of Whitby.", "Noted."), turn("tea", "我喜欢喝龙井茶。", "好的。"))
			for _, q := range []string{"我住哪？", "Where do I live?"} {
				if r := c.Ask(ask(q)); len(r.Items) == 0 {
					t.Errorf("%q finds nothing of %q", q, said)
				} else if _, ok := stacktest.Find(r.Items[:1], find); !ok {
					t.Errorf("%q finds %v", q, contents(r.Items))
				}
			}
		})
	}
}
