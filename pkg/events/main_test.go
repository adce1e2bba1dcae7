package events

import (
	"os"
	"testing"

	"github.com/siltstone-ai/siltstone/pkg/events/eventstest"
)

func TestMain(m *testing.M) { os.Exit(eventstest.Main(m)) }
