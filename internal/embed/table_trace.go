package embed

import "os"

// Trace calls f with each row of the table at path that text consists of and its multiplier in 256ths.
// It is there for tools/embedtable, which fits the rows.
func Trace(path string) (func(text string, f func(row, mult int)), error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	t, err := openTable(string(b))
	if err != nil {
		return nil, err
	}
	if err := t.check(); err != nil {
		return nil, err
	}
	return func(text string, f func(row, mult int)) {
		s := scanner{t: t, trace: f}
		s.scan(text)
	}, nil
}
