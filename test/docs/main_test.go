package docs

import (
	"os"
	"testing"

	"github.com/siltstone-ai/siltstone/test/stacktest"
)

func TestMain(m *testing.M) { os.Exit(stacktest.Main(m)) }
