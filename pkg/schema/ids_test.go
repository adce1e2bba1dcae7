package schema

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// The values here may never change: ids in logs and stores hang on them. They were computed once with Python's
// uuid.uuid5 and hashlib.
func TestIDsAreGolden(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{EventUUID("default", "e1"), "a29d3d72-e54b-5f29-ac87-b29302e17909"},
		{EventUUID("acme", "订单-1"), "8439e69d-b7c3-5cca-95ea-00cee74b981c"},
		{PointID(EventUUID("default", "e1"), "tool.0", "vectorize"), "059b889c-2737-5683-bfc6-2bf4a6d45282"},
		{Shard("default", "u1"), "057"},
		{Shard("acme", "小明"), "224"},
		{Shard("acme", ""), "000"},
		{Token("alice"), "alice"},
		{Token("Zoë.b"), "z5aozc3zabz2eb"},
		{Token(""), "z"},
	} {
		if c.got != c.want {
			t.Errorf("got %s, want %s", c.got, c.want)
		}
	}
}

func TestTokenIsInjectiveAndClean(t *testing.T) {
	clean := regexp.MustCompile(`^[a-z0-9]+$`)
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.String().Draw(t, "a"), rapid.String().Draw(t, "b")
		ta, tb := Token(a), Token(b)
		if !clean.MatchString(ta) {
			t.Fatalf("token %q of %q", ta, a)
		}
		if (a == b) != (ta == tb) {
			t.Fatalf("%q and %q give %q and %q", a, b, ta, tb)
		}
		if back, ok := Untoken(ta); !ok || back != a {
			t.Fatalf("%q comes back as %q (%v)", a, back, ok)
		}
	})
	for _, bad := range []string{"", "zz", "z5", "z6ea", "A", "a.b", "z61"} { // z61 is "a", which stands for itself
		if _, ok := Untoken(bad); ok {
			t.Errorf("Untoken takes %q", bad)
		}
	}
}

func TestCheckIDRefusesHostileIDs(t *testing.T) {
	for _, bad := range []string{"", "*", ">", ".", "..", "a*", "a\nb", "a\x00b", "a\u200bb", "a\u202eb", " a", "a ", "a  b", "a\tb", "\xff", strings.Repeat("x", MaxID+1), "a\U000e0041"} {
		if CheckID("user", bad) == nil {
			t.Errorf("%q is taken", bad)
		}
	}
	for _, good := range []string{"u1", "小明", "anna.lee@example.com", "slack/C12/17.5", "Anna Lee", "$SYS", "a:b", strings.Repeat("x", MaxID)} {
		if err := CheckID("user", good); err != nil {
			t.Errorf("%q is refused: %v", good, err)
		}
	}
	for _, bad := range []string{"", "*", "a b", ".a", "a/b", "ü", strings.Repeat("a", 65)} {
		if CheckTenant(bad) == nil {
			t.Errorf("tenant %q is taken", bad)
		}
	}
}
