package eval

import (
	"cmp"
	"fmt"
	"io"

	"github.com/siltstone-ai/siltstone/internal/text"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// FactReader is what is measured: it reads the facts of an utterance.
type FactReader struct {
	Read    func(Utterance) ([]schema.Memory, error)
	Subject func(string) string // how a memory names a subject that is written by hand
	Person  func(string) bool   // whether a memory's subject is somebody of the speaker's, not a thing of his
}

// FactScore counts how far what was read is what was said.
type FactScore struct {
	Set        string `json:"set"`
	Lang       string `json:"lang"` // en, zh, or all
	Utterances int    `json:"utterances"`
	Stated     int    `json:"stated"`  // facts that the file knows
	Right      int    `json:"right"`   // of them, those read
	Read       int    `json:"read"`    // facts read
	None       int    `json:"none"`    // utterances that state nothing
	Alarmed    int    `json:"alarmed"` // of them, those out of which something was read
	False      int    `json:"false"`   // facts read out of them
}

// Precision is the share of what was read that is right, 1 where nothing was read.
func (s *FactScore) Precision() float64 { return share(s.Right, s.Read, 1) }

// Recall is the share of what is stated that was read, 1 where nothing is stated.
func (s *FactScore) Recall() float64 { return share(s.Right, s.Stated, 1) }

// FalseRate is how many facts were read out of an utterance that states none.
func (s *FactScore) FalseRate() float64 { return share(s.False, s.None, 0) }

func share(n, of int, none float64) float64 {
	if of == 0 {
		return none
	}
	return float64(n) / float64(of)
}

// FactFault is one utterance that was not read as it should be.
type FactFault struct {
	Set    string          `json:"set"`
	Line   int             `json:"line"` // of the utterances of its file, from 1
	Text   string          `json:"text"`
	Missed []Stated        `json:"missed,omitempty"`
	Wrong  []schema.Memory `json:"wrong,omitempty"`
}

// FactReport is what a run over files of utterances measured.
type FactReport struct {
	Scores []FactScore `json:"scores"` // by file: English, Chinese, all, where there are several
	Faults []FactFault `json:"faults,omitempty"`
}

// Add reads the utterances of a set one by one and adds its scores. It stops at the first that cannot be read.
func (r *FactReport) Add(set string, us []Utterance, by FactReader) error {
	sums := map[string]*FactScore{}
	for i, u := range us {
		got, err := by.Read(u)
		if err != nil {
			return fmt.Errorf("%s: utterance %d: %w", set, i+1, err)
		}
		fault := FactFault{Set: set, Line: i + 1, Text: u.Text}
		missed, wrong := pair(u.Facts, got, &by)
		for _, n := range missed {
			fault.Missed = append(fault.Missed, u.Facts[n])
		}
		for _, n := range wrong {
			fault.Wrong = append(fault.Wrong, got[n])
		}
		right := len(u.Facts) - len(missed)
		read := right + len(wrong)
		for _, lang := range [...]string{text.Lang(u.Text), all} {
			s := sums[lang]
			if s == nil {
				s = &FactScore{Set: set, Lang: lang}
				sums[lang] = s
			}
			s.Utterances++
			s.Stated += len(u.Facts)
			s.Right += right
			s.Read += read
			if len(u.Facts) == 0 {
				s.None++
				s.False += read
				s.Alarmed += min(read, 1)
			}
		}
		if len(fault.Missed)+len(fault.Wrong) > 0 {
			r.Faults = append(r.Faults, fault)
		}
	}
	for _, lang := range [...]string{"en", "zh", all} {
		if s := sums[lang]; s != nil && (lang != all || len(sums) > 2) {
			r.Scores = append(r.Scores, *s)
		}
	}
	return nil
}

// pair gives each stated fact at most one of those read and each of those at most one stated, as many as can be, and
// returns the places of those left over (augmenting paths: Kuhn, 1955).
func pair(stated []Stated, got []schema.Memory, by *FactReader) (missed, wrong []int) {
	of := make([]int, len(got)) // by place of what was read, one more than that of what it is
	var find func(i int, seen []bool) bool
	find = func(i int, seen []bool) bool {
		for j := range got {
			if seen[j] || !stated[i].is(&got[j], by) {
				continue
			}
			seen[j] = true
			if of[j] == 0 || find(of[j]-1, seen) {
				of[j] = i + 1
				return true
			}
		}
		return false
	}
	for i := range stated {
		if !find(i, make([]bool, len(got))) {
			missed = append(missed, i)
		}
	}
	for j, i := range of {
		if i == 0 && got[j].Object != "" { // what only marks that another is over shows nothing
			wrong = append(wrong, j)
		}
	}
	return missed, wrong
}

// Write prints the scores as a table, and with faults each utterance that was not read as it should be.
func (r *FactReport) Write(w io.Writer, faults bool) error {
	for i, s := range r.Scores {
		if i == 0 || r.Scores[i-1].Set != s.Set {
			if faults {
				r.writeFaults(w, s.Set)
			}
			if _, err := fmt.Fprintf(w, "%-24s %10s %6s %9s %6s %6s %6s %6s\n", s.Set, "utterances", "stated", "precision", "recall", "none", "false", "rate"); err != nil {
				return err
			}
		}
		if _, err := fmt.Fprintf(w, "  %-22s %10d %6d %9.3f %6.3f %6d %6d %6.3f\n", s.Lang, s.Utterances, s.Stated, s.Precision(), s.Recall(), s.None, s.False, s.FalseRate()); err != nil {
			return err
		}
	}
	return nil
}

func (r *FactReport) writeFaults(w io.Writer, set string) {
	for _, f := range r.Faults {
		if f.Set != set {
			continue
		}
		fmt.Fprintf(w, "%s:%d  %s\n", f.Set, f.Line, f.Text)
		for _, s := range f.Missed {
			fmt.Fprintf(w, "    missed  %s | %s | %s%s\n", cmp.Or(s.Subject, "user"), s.Predicate, s.Object, marks(s.Negated, s.Past))
		}
		for _, m := range f.Wrong {
			fmt.Fprintf(w, "    wrong   %s | %s | %s%s  by %s\n", m.Subject, m.Predicate, m.Object, marks(m.Negated, !m.ValidTo.IsZero()), m.Rule)
		}
	}
}

func marks(negated, past bool) (s string) {
	if negated {
		s += ", not"
	}
	if past {
		s += ", once"
	}
	return s
}
