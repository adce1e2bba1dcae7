package qdrantd

import (
	"flag"
	"os"
	"testing"
)

// childEnv makes the test binary play a server that is going to be killed: see TestKilledProcessKeepsWhatItAcknowledged.
const childEnv = "QDRANTD_TEST_CHILD_DIR"

// childCompacts has such a server compact all the time.
const childCompacts = "QDRANTD_TEST_CHILD_COMPACTS"

func TestMain(m *testing.M) {
	flag.Parse()
	if dir := os.Getenv(childEnv); dir != "" {
		serveChild(dir)
		return
	}
	set := map[string]bool{}
	flag.Visit(func(f *flag.Flag) { set[f.Name] = true })
	if !set["rapid.checks"] { // each one is a few hundred synced writes
		_ = flag.Set("rapid.checks", "12")
	}
	if !set["rapid.nofailfile"] {
		_ = flag.Set("rapid.nofailfile", "true")
	}
	os.Exit(m.Run())
}
