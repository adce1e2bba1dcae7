package distill

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// reThingEn is what splitThingEn does, as an expression.
var reThingEn = regexp.MustCompile(`(?i)^((?:the |this |an? |all |every |each )?(?:[\p{L}\d'’.&/+#_:-]+ ){0,7}?[\p{L}\d'’.&/+#_:-]+?)(?:'s (name|birthday|age|job|email|phone number|address|port|version|owner|deadline|[\p{L}-]+))? \b(am|is|are|was|were|has|have|had|lives?|works?|likes?|loves?|hates?|dislikes?|prefers?|enjoys?|speaks?|uses?|runs?|turned|turns|moved|moves|changed|listens?|owns?|depends?|requires?|needs?|may|must|can|cannot|should|shall|will|does|do|never|always|made|makes|prints?|serves?|expires?|supports?|accepts?|takes?|costs?|belongs?|reports?|manages?|leads?|joined|left|starts?|begins?|ends?|closes?|opens?|contains?|holds?|stores?|writes?|reads?|sends?|returns?|used|no longer|wants?|drives?|teaches|studies|plays?|keeps?|happens?|meets?|gets?|comes?|goes|lies|connects?|deploys?|builds?|ships?|speaks to|replaced?|handles?|maintains?|sits|stands for|means|also|now|still|just)\b ?(.*)$`)

func TestSplitThingEn_IsTheExpression(t *testing.T) {
	words := []string{"the", "An", "this", "every", "Atlas", "Atlas's", "ATLAS'S", "port", "phone number", "phone", "number", "status-page", "é", "naïve's", "x1", "a.b/c", "is", "Is", "isn", "isé", "is_", "uses", "use", "used", "no longer", "no", "stands for", "stands", "speaks to", "never", "now", "'s", "''s", "s", "(x)", "fast,", "v1.2", "", "is.", "has,"}
	rapid.Check(t, func(t *rapid.T) {
		s := strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 1, 14).Draw(t, "words"), rapid.SampledFrom([]string{" ", " ", " ", "  ", ""}).Draw(t, "sep"))
		var want thingSaid
		m := reThingEn.FindStringSubmatch(s)
		if m != nil {
			want = thingSaid{m[1], m[2], m[3], m[4]}
		}
		if got, ok := splitThingEn(s); ok != (m != nil) || got != want {
			t.Fatalf("%q: got %q, want %q", s, got, want)
		}
	})
	for _, u := range append(spokenTurns(t), newWriter(t, 9).turns(200)...) {
		for _, seg := range u.body.Segments {
			for _, s := range sentences(seg.Text) {
				var want thingSaid
				if m := reThingEn.FindStringSubmatch(s); m != nil {
					want = thingSaid{m[1], m[2], m[3], m[4]}
				}
				if w := want.noun[strings.LastIndexByte(want.noun, ' ')+1:]; isPrepositionEn(w) && !auxiliaryEn[strings.ToLower(want.verb)] {
					continue
				}
				if got, _ := splitThingEn(s); got != want {
					t.Errorf("%q: got %q, want %q", s, got, want)
				}
			}
		}
	}
}
