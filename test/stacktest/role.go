package stacktest

import (
	"strings"
	"testing"

	"github.com/siltstone-ai/siltstone/internal/config"
)

// childRole, set, makes a test binary the command of that role.
const childRole = config.Prefix + "TEST_CHILD_ROLE"

// SpawnRole starts the command of one role ("none" for servers only) in a process of its own and returns once it is
// up. It ends with the test at the latest.
func SpawnRole(t testing.TB, role string, flags ...string) *Child {
	t.Helper()
	edge := role != "none" && role != "distiller"
	return spawn(t, role, childRole+"="+role, append([]string{"--log-format", "json"}, flags...), func(line string) (string, bool) {
		if strings.HasPrefix(line, "http") {
			return line, true
		}
		return "", !edge && strings.HasSuffix(line, " is up")
	})
}
