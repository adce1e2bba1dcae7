// Package rows shows the requirement rows through the public interface: an event in, a reply out. Each test is
// named after its row.
package rows

import (
	"os"
	"testing"

	"github.com/siltstone-ai/siltstone/test/stacktest"
)

func TestMain(m *testing.M) { os.Exit(stacktest.Main(m)) }
