package postag

import (
	"slices"
	"strings"
	"testing"
)

const turn = "My sister Anna moved from Leeds to Porto in 2019 and works there as a nurse . She does n't drive , so she takes the tram . " +
	"We deployed version 2.4.1 of the billing service to staging yesterday , and Tom 's team will test it before Friday . "

func TestTags(t *testing.T) {
	for in, want := range map[string]string{
		"My sister moved to Porto in 2019 .":        "PRP$ NN VBD TO NNP IN CD .",
		"She does n't like the old house .":         "PRP VBZ RB VB DT JJ NN .",
		"Tom 's team will test the new service":     "NNP POS NN MD VB DT JJ NN",
		"The report was written by two engineers .": "DT NN VBD VBN IN CD NNS .",
	} {
		if got := English().Tag(strings.Fields(in)); !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%q: %v, want %s", in, got, want)
		}
	}
	if got := English().Tag([]string{"", "\x00\xff", "-", "-x"}); len(got) != 4 {
		t.Errorf("odd words: %v", got)
	}
	if got := English().Tag(nil); len(got) != 0 {
		t.Errorf("no words: %v", got)
	}
}

func TestAModelThatIsBroken(t *testing.T) {
	if _, err := read([]byte("no zstd")); err == nil {
		t.Error("garbage is read")
	}
	m := &model{byTag: map[string]uint32{}, certain: map[string]uint32{}, slots: make([]slot, 1<<tableBits)}
	for _, line := range []string{"word\ta", "feature\tnone\ta\t\tNN:1", "feature\ti word\ta\t\tNN", "feature\ti word\tb\t\tNN:x", "what"} {
		if err := m.line(strings.Split(line, "\t")); err == nil {
			t.Errorf("%q is read", line)
		}
	}
	if err := m.line(strings.Split("feature\ti word\tc\t\tNN:1", "\t")); err != nil {
		t.Fatal(err)
	}
	if err := m.line(strings.Split("feature\ti word\tc\t\tNN:1", "\t")); err == nil {
		t.Error("a feature is read twice")
	}
}

// BenchmarkTag tags about 1 kB of text.
func BenchmarkTag(b *testing.B) {
	words := strings.Fields(strings.Repeat(turn, 4))
	t := English()
	b.SetBytes(int64(len(turn) * 4))
	b.ReportAllocs()
	for b.Loop() {
		t.Tag(words)
	}
}
