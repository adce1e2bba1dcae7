package stacktest

import (
	"testing"

	"github.com/siltstone-ai/siltstone/internal/config"
)

// childRole, set, makes a test binary the command of that role.
const childRole = config.Prefix + "TEST_CHILD_ROLE"

// SpawnRole starts the command of one role ("none" for servers only) in a process of its own and returns once it is
// up. It ends with the test at the latest.
func SpawnRole(t testing.TB, role string, flags ...string) *Child {
	t.Helper()
	return Launch{Role: role, Flags: append([]string{"--log-format", "json"}, flags...)}.spawn(t)
}
