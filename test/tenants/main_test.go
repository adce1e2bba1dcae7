// Package tenants shows the wall between tenants: twenty of them say the same things under the same ids, each with
// texts that are nobody else's, and nothing that one is answered holds a text of another.
package tenants

import (
	"os"
	"testing"

	"github.com/siltstone-ai/siltstone/test/stacktest"
)

func TestMain(m *testing.M) { os.Exit(stacktest.Main(m)) }
