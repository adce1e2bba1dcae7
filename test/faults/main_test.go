// Package faults breaks things: processes are killed, bodies are bad, and what was accepted must be there.
package faults

import (
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/siltstone-ai/siltstone/pkg/schema"
	"github.com/siltstone-ai/siltstone/test/stacktest"
)

func TestMain(m *testing.M) {
	limitFiles()
	stacktest.RunChild()
	os.Exit(stacktest.Main(m))
}

// day is the moment from which the tests count.
var day = time.Date(2026, 9, 1, 9, 0, 0, 0, time.UTC)

func itoa(i int) string { return strconv.Itoa(i) }

func turn(id, in string) schema.Turn {
	return schema.Turn{ID: id, User: "ann", Conversation: "c-1", At: day.Add(-time.Hour), Input: in, Response: "Noted."}
}
