package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/siltstone-ai/siltstone/internal/distill/openie"
	"github.com/siltstone-ai/siltstone/internal/eval"
)

// tripleFlags are those of siltstone eval triples.
type tripleFlags struct {
	gold, out string
	from, to  int
}

func evalTriplesCommand(e *env) *cobra.Command {
	var f tripleFlags
	c := &cobra.Command{
		Use: "triples", Short: "Read triples out of sentences whose facts are known, and count which are right", Long: help("eval-triples"), Args: cobra.NoArgs,
	}
	c.Flags().StringVar(&f.gold, "gold", "", "file of sentences with their facts, in BenchIE's format")
	c.Flags().StringVar(&f.out, "out", "", "file for the triples that were read, a line sentence, subject, relation and object apart by tabs")
	c.Flags().IntVar(&f.from, "from", 1, "first sentence to read, counted from 1")
	c.Flags().IntVar(&f.to, "to", 0, "last sentence to read; 0 is the last of the file")
	c.RunE = func(*cobra.Command, []string) error { return e.evalTriples(f) }
	return c
}

// evalTriples extracts from the gold file's sentences and scores what came out.
func (e *env) evalTriples(f tripleFlags) error {
	gold, err := readGold(f)
	if err != nil {
		return err
	}
	var triples []eval.Extracted
	for _, g := range gold {
		triples = append(triples, extract(g)...)
	}
	if f.out != "" {
		if err := writeTriples(f.out, triples); err != nil {
			return err
		}
	}
	s := eval.ScoreTriples(gold, triples)
	if e.json {
		return printJSON(e.out, s)
	}
	_, err = fmt.Fprintf(e.out, "%d sentences with %d facts, %d triples: %d facts found, %d triples wrong\nprecision %.3f  recall %.3f  F1 %.3f\n",
		s.Sentences, s.Clusters, s.Triples, s.Hit, s.Wrong, s.Precision, s.Recall, s.F1)
	return err
}

func readGold(f tripleFlags) ([]eval.GoldSentence, error) {
	if f.gold == "" {
		return nil, usage(fmt.Errorf("--gold: name a file of sentences"))
	}
	r, err := os.Open(f.gold)
	if err != nil {
		return nil, usage(err)
	}
	defer r.Close()
	gold, err := eval.ReadGold(r)
	if err != nil {
		return nil, usage(fmt.Errorf("%s: %w", f.gold, err))
	}
	to := f.to
	if to == 0 {
		to = len(gold)
	}
	if f.from < 1 || to < f.from || to > len(gold) {
		return nil, usage(fmt.Errorf("--from %d --to %d: the file holds sentences 1 to %d", f.from, f.to, len(gold)))
	}
	return gold[f.from-1 : to], nil
}

// extract reads one sentence of the gold file, whose words are apart already. Chinese is put together first, and its triples
// are written as gold writes Chinese, every character apart.
func extract(g eval.GoldSentence) []eval.Extracted {
	words := strings.Fields(g.Text)
	read, text := openie.EnglishWords, strings.TrimSpace
	if g.Chinese() {
		read, text = func(words []string) *openie.Sentence { return openie.Chinese(strings.Join(words, "")) }, eval.Apart
	}
	s := read(words)
	out := make([]eval.Extracted, 0, len(s.Triples))
	for _, t := range s.Triples {
		out = append(out, eval.Extracted{
			ID: g.ID, Subject: text(s.Text(t.Subject)), Relation: text(s.Text(t.Relation)), Object: text(s.Text(t.Object)),
		})
	}
	return out
}

func writeTriples(file string, triples []eval.Extracted) (err error) {
	w, err := os.Create(file)
	if err != nil {
		return usage(err)
	}
	defer func() {
		if e := w.Close(); err == nil {
			err = e
		}
	}()
	b := bufio.NewWriter(w)
	for _, t := range triples {
		if _, err := io.WriteString(b, strings.Join([]string{t.ID, t.Subject, t.Relation, t.Object}, "\t")+"\n"); err != nil {
			return err
		}
	}
	return b.Flush()
}
