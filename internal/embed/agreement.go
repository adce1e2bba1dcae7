package embed

import "math"

// maxAsked bounds the words of a question that [Table.Agreement] looks for.
const maxAsked = 24

// Agreement says of each text how well it holds the words of query, one by one, in its own words or in others, of
// either language:
//
//	agreement = Σ w²·max(0, cos(q, nearest word of the text)) ÷ Σ w²   over the words q of query
//
// between 0 and 1, w the weight of the word in the table, which is low for frequent ones. It is what late interaction
// sums (Khattab and Zaharia 2020), over words without their context. The sum of all words, which [Table.Embed] gives,
// tells what a text is about; this tells whether the text speaks of all that was asked for. Words that the table lacks
// count on neither side; a query without any agrees with nothing. It costs about 0.2 µs a pair of different words. It is
// deterministic like the rest of the table, safe for concurrent use, and does not block.
func (t *Table) Agreement(query string, texts []string) []float64 {
	out := make([]float64, len(texts))
	asked, total := t.f.asked(query)
	if total == 0 {
		return out
	}
	known := map[int][]float64{} // row → its nearness to each word of query
	seen := map[int]int{}
	best := make([]float64, len(asked))
	for i, text := range texts {
		clear(best)
		t.f.distinct(text, seen, i+1, func(row int) bool {
			near, ok := known[row]
			if !ok {
				near = t.f.nearness(asked, row)
				known[row] = near
			}
			for k, x := range near {
				best[k] = math.Max(best[k], x)
			}
			return true
		})
		for k := range asked {
			out[i] += float64(asked[k].weight * best[k])
		}
		out[i] /= total
	}
	return out
}

// Cosines says of each text how near it is to query by the table's vectors of both, −1 to 1: what tells texts that have
// nothing to do with a question where another model embeds, since the table's floors are known and the model's are not.
// Deterministic, safe for concurrent use, and it does not block.
func (t *Table) Cosines(query string, texts []string) []float64 {
	out := make([]float64, len(texts))
	q, v := make([]float32, t.f.dim), make([]float32, t.f.dim)
	t.one(query, q)
	for i, s := range texts {
		t.one(s, v)
		for d := range v {
			out[i] += float64(q[d]) * float64(v[d])
		}
	}
	return out
}

// askedWord is a word of a question, read once.
type askedWord struct {
	row    int
	vec    [maxTableDim]int32
	norm   float64
	weight float64
}

func (t *tableFile) asked(query string) (words []askedWord, total float64) {
	t.distinct(query, map[int]int{}, 1, func(row int) bool {
		w := askedWord{row: row}
		n := int64(0)
		for d := range t.dim {
			x := int32(t.vectors[row*t.dim+d]) - 128
			w.vec[d] = x
			n += int64(x) * int64(x)
		}
		w.norm = math.Sqrt(float64(n))
		weight := w.norm * float64(u16(t.scales, 2*row)) / (1 << 21) // about 1 for a rare word
		if w.weight = weight * weight; w.weight > 0 {
			words = append(words, w)
			total += w.weight
		}
		return len(words) < maxAsked
	})
	return words, total
}

// nearness is the cosine of a row with each word.
func (t *tableFile) nearness(words []askedWord, row int) []float64 {
	var vec [maxTableDim]int32
	n := int32(0) // 2⁷·2⁷·dim stays far below 2³¹
	for d, bytes := 0, t.vectors[row*t.dim:][:t.dim]; d < len(bytes); d++ {
		vec[d] = int32(bytes[d]) - 128
		n += vec[d] * vec[d]
	}
	norm := math.Sqrt(float64(n))
	out := make([]float64, len(words))
	for k := range words {
		w := &words[k]
		if w.row == row {
			out[k] = 1
			continue
		}
		// Four sums: the processor adds to one while it multiplies for another. Beyond the dimension both are 0.
		var s0, s1, s2, s3 int32
		for d := 0; d < t.dim; d += 4 {
			a, b := (*[4]int32)(w.vec[d:]), (*[4]int32)(vec[d:])
			s0 += a[0] * b[0]
			s1 += a[1] * b[1]
			s2 += a[2] * b[2]
			s3 += a[3] * b[3]
		}
		if norm > 0 {
			out[k] = float64(s0+s1+s2+s3) / float64(w.norm*norm)
		}
	}
	return out
}

// distinct calls f with each row of a whole word in text, once, until f returns false. seen remembers the last text, by
// its number, that each row was seen in, so that one map serves many texts.
func (t *tableFile) distinct(text string, seen map[int]int, number int, f func(row int) bool) {
	more := true
	s := scanner{t: t, trace: func(row, mult int) {
		if !more || row >= t.words || mult < full || seen[row] == number {
			return
		}
		seen[row] = number
		more = f(row)
	}}
	s.scan(text)
}
