package versus

import (
	"flag"
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	flag.Parse()
	set := map[string]bool{}
	flag.Visit(func(f *flag.Flag) { set[f.Name] = true })
	for name, value := range map[string]string{
		"rapid.checks":     "25", // a round: rounds go on until there are enough operations
		"rapid.steps":      "60", // a collection of the engine takes longer to make than a question to answer
		"rapid.shrinktime": "60s",
		"rapid.nofailfile": "true",
	} {
		if !set[name] {
			_ = flag.Set(name, value)
		}
	}
	os.Exit(m.Run())
}
