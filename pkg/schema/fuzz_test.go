package schema

import (
	"regexp"
	"testing"
)

var tokenShape = regexp.MustCompile(`^[a-z0-9]+$`)

// FuzzToken: whatever an id holds, its token is one word of a subject, comes back as the same id, and no two ids share
// one; and an id that is taken makes an owner, a shard and a UUID of the right shape.
func FuzzToken(f *testing.F) {
	for _, s := range []string{"", "*", ">", "a.b", "a b", "\x00", "\xff\xfe", "../x", "a\r\nb", "\u202e", "\u200b", "z", "zz", "z5a", "Z", "ſ", "\u212a", "小明", "$SYS", "$JS.API.>"} {
		f.Add(s, "z"+s)
	}
	uuid := regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	f.Fuzz(func(t *testing.T, a, b string) {
		ta, tb := Token(a), Token(b)
		if !tokenShape.MatchString(ta) || len(ta) > 3*len(a)+1 {
			t.Fatalf("the token of %q is %q", a, ta)
		}
		if back, ok := Untoken(ta); !ok || back != a {
			t.Fatalf("%q comes back as %q, %v", a, back, ok)
		}
		if (a == b) != (ta == tb) {
			t.Fatalf("%q and %q have the tokens %q and %q", a, b, ta, tb)
		}
		if s, ok := Untoken(a); ok && Token(s) != a {
			t.Fatalf("%q is taken for the token of %q", a, s)
		}
		if CheckID("id", a) != nil || CheckID("id", b) != nil {
			return
		}
		if (a == b) != (UUID("t", a) == UUID("t", b)) || !uuid.MatchString(UUID("t", a)) {
			t.Fatalf("%q and %q have the UUIDs %s and %s", a, b, UUID("t", a), UUID("t", b))
		}
		if s := Shard("t", a); len(s) != 3 || s > "255" || !tokenShape.MatchString(s) {
			t.Fatalf("the shard of %q is %q", a, s)
		}
		if (a == b) != (Owner("t", a) == Owner("t", b)) {
			t.Fatalf("%q and %q share the owner %q", a, b, Owner("t", a))
		}
	})
}
