//go:build chaos

package chaos

import (
	"os"
	"testing"

	"github.com/siltstone-ai/siltstone/test/stacktest"
)

func TestMain(m *testing.M) {
	stacktest.RunChild()
	os.Exit(stacktest.Main(m))
}
