package distill

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// reThingEn is what splitThingEn does, as an expression, but for verbs behind a preposition.
var reThingEn = regexp.MustCompile(`(?i)^((?:the |this |an? |all |every |each )?(?:[\p{L}\d'’.&/+#_:-]+ ){0,7}?[\p{L}\d'’.&/+#_:-]+?)(?:'s (name|birthday|age|job|email|phone number|address|port|version|owner|deadline|[\p{L}-]+))? \b(am|is|are|was|were|has|have|had|lives?|works?|likes?|loves?|hates?|dislikes?|prefers?|enjoys?|speaks?|uses?|runs?|turned|turns|moved|moves|changed|listens?|owns?|depends?|requires?|needs?|may|must|can|cannot|should|shall|will|does|do|never|always|made|makes|prints?|serves?|expires?|supports?|accepts?|takes?|costs?|belongs?|reports?|manages?|leads?|joined|left|starts?|begins?|ends?|closes?|opens?|contains?|holds?|stores?|writes?|reads?|sends?|returns?|used|no longer|wants?|drives?|teaches|studies|plays?|keeps?|happens?|meets?|gets?|comes?|go|goes|lies|pinned|ships?|rehearses?|trains|lands|expects|sleeps|gives?|connects?|deploys?|builds?|ships?|speaks to|replaced?|handles?|looks|covers|heads|oversees|supervises|coordinates|talks|communicates|publishes|integrates|leaves|bores|maintains?|sits|stands for|means|also|now|still|just)\b ?(.*)$`)

func TestSplitThingEn_IsTheExpression(t *testing.T) {
	words := []string{"the", "An", "this", "every", "Atlas", "Atlas's", "ATLAS'S", "port", "phone number", "phone", "number", "status-page", "é", "naïve's", "x1", "a.b/c", "is", "Is", "isn", "isé", "is_", "uses", "use", "used", "no longer", "no", "stands for", "stands", "speaks to", "never", "now", "'s", "''s", "s", "(x)", "fast,", "v1.2", "", "is.", "has,"}
	rapid.Check(t, func(t *rapid.T) {
		s := strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 1, 14).Draw(t, "words"), rapid.SampledFrom([]string{" ", " ", " ", "  ", ""}).Draw(t, "sep"))
		var want thingSaid
		m := reThingEn.FindStringSubmatch(s)
		if m != nil {
			want = thingSaid{m[1], m[2], m[3], m[4]}
		}
		if behindPrepositionEn(want) {
			return // TestSplitThingEn_NoVerbBehindAPreposition says what holds there
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
				if behindPrepositionEn(want) {
					continue
				}
				if got, _ := splitThingEn(s); got != want {
					t.Errorf("%q: got %q, want %q", s, got, want)
				}
			}
		}
	}
}

// behindPrepositionEn reports whether the expression took a verb where the scanner takes none.
func behindPrepositionEn(m thingSaid) bool {
	return isPrepositionEn(m.noun[strings.LastIndexByte(m.noun, ' ')+1:]) && !auxiliaryEn[strings.ToLower(m.verb)]
}

func TestSplitThingEn_NoVerbBehindAPreposition(t *testing.T) {
	for s, want := range map[string]thingSaid{
		"John from support is late":     {"John from support", "", "is", "late"},
		"the box in use costs ten euro": {"the box in use", "", "costs", "ten euro"},
		"the crew on call is away":      {"the crew on call", "", "is", "away"},
		"what we look at is the log":    {"what we look at", "", "is", "the log"}, // an auxiliary may follow
		"stands for uses":               {},
		"Atlas stands for uses":         {"Atlas", "", "stands for", "uses"},
	} {
		if got, ok := splitThingEn(s); got != want || ok != (want != thingSaid{}) {
			t.Errorf("%q: got %q, want %q", s, got, want)
		}
	}
}
