//go:build chaos

package chaos

import (
	"strings"
	"testing"

	"github.com/siltstone-ai/siltstone/internal/crash"
)

// The control: a build that acknowledges messages before it has worked on them loses what a kill finds in its hands,
// and the checks of a chaos run see it.
func TestControlAcknowledgingFirstIsFound(t *testing.T) {
	r := newRun(t, 1, 200)
	servers, err := r.site.servers().Start(t)
	if err != nil {
		t.Fatal(err)
	}
	defer servers.End()
	ingester, err := r.site.role("ingester").Start(t)
	if err != nil {
		t.Fatal(err)
	}
	bad := r.site.role("distiller")
	bad.Env = []string{crash.Sabotage + "=ack-first", crash.Variable + "=" + string(crash.PointsBegin) + ":60"}
	distiller, err := bad.Start(t)
	if err != nil {
		t.Fatal(err)
	}
	r.pub.gate = func(int) bool { return true }
	if err := r.pub.run(t.Context(), r.load.jobs); err != nil {
		t.Fatal(err)
	}
	_ = distiller.Await(t) // it is killed
	if at, ok := diedAt(distiller); !ok || at != crash.PointsBegin {
		t.Fatalf("the distiller ended by itself: %s", distiller.Logs.Warnings())
	}
	if _, err := r.site.role("distiller").Start(t); err != nil {
		t.Fatal(err)
	}
	f, _ := verify(t, ingester.Stack, r.site.connect(), r.load, r.pub.acked, true)
	missing := 0
	for _, x := range f.faults {
		if strings.Contains(x, "missing") {
			missing++
		}
	}
	if missing == 0 || len(f.lost) > 0 {
		t.Fatalf("messages were acknowledged before they were worked on, and of that is found:\n%s", f)
	}
	t.Logf("%d points are found to be missing", missing)
}
