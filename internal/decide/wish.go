package decide

import (
	"slices"
	"strings"

	"github.com/siltstone-ai/siltstone/internal/text"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Concerns reports whether m, which its user asked to forget under the name thing at the time of wish, is what was meant:
// it was said before, by no one who is trusted more, and the name stands in what it says. The name of a thing is not the
// end of a longer one: to forget "my address" does not mean "my email address".
func Concerns(m *schema.Memory, thing string, wish *schema.Envelope) bool {
	if IsMark(m) || IsShell(m) || m.Status == schema.StatusDeleted || m.Source.Class > schema.ClassUser ||
		m.Source.Seq >= wish.Seq || m.ObservedAt.After(wish.At) {
		return false
	}
	if text.Lang(thing) == "zh" {
		return strings.Contains(text.Fold(m.Content), text.Fold(thing))
	}
	name := text.GistWords(thing)
	if len(name) == 0 {
		return false
	}
	said := text.GistWords(m.Content)
	for i := 0; i+len(name) <= len(said); i++ {
		if slices.Equal(said[i:i+len(name)], name) && (i == 0 || before[said[i-1]]) {
			return true
		}
	}
	return false
}

// before are the words of a gist behind which the name of a thing begins.
var before = func() map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq("i we you he she they it 's have had has own get got keep not no some ani everi this in on at to from of with without for about into " +
		"or but new old former current main onli use like love hate dislik enjoy prefer pay see call visit rent sell buy clean lock open close") {
		out[w] = true
	}
	return out
}()
