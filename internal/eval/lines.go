package eval

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

// readLines reads a file of what, one as JSON a line, up to maxLine bytes each, and skips blank lines. begin is what a line
// that says nothing stands for; check may refuse what was read, and fields that are not known are refused. Errors name the line.
func readLines[T any](r io.Reader, what string, maxLine int, begin T, check func(*T) error) ([]T, error) {
	sc := bufio.NewScanner(r)
	sc.Buffer(make([]byte, 1<<16), maxLine)
	var out []T
	for n := 1; sc.Scan(); n++ {
		if len(sc.Bytes()) == 0 {
			continue
		}
		v := begin
		dec := json.NewDecoder(bytes.NewReader(sc.Bytes()))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&v); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		if err := check(&v); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		out = append(out, v)
	}
	if err := sc.Err(); err != nil {
		return nil, fmt.Errorf("read %s: %w", what, err)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("the file has no %s", what)
	}
	return out, nil
}
