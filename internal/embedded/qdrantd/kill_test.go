package qdrantd

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/qdrant/go-client/qdrant"
)

// serveChild serves dir on loopback until it is killed, and prints its port. It may compact all the time beside that.
func serveChild(dir string) {
	srv, err := Open(dir, Options{})
	if err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
	if os.Getenv(childCompacts) != "" {
		go func() {
			for {
				if err := srv.Compact(context.Background()); err != nil {
					fmt.Println("error:", err)
					os.Exit(1)
				}
			}
		}()
	}
	fmt.Println("port", lis.Addr().(*net.TCPAddr).Port)
	fmt.Println("error:", srv.Serve(lis))
}

// trio is three points that one writer changes together, with wait=true: no kill may separate them, nor take back what was
// acknowledged.
type trio struct {
	first   uint64 // id
	acked   int    // the last state that was acknowledged: 0 none, odd inserted or replaced whole, even a payload set; -1 deleted
	pending int    // what was asked for last, where no acknowledgement came
	unsure  bool
}

func (g *trio) ids() []*qdrant.PointId {
	return []*qdrant.PointId{qdrant.NewIDNum(g.first), qdrant.NewIDNum(g.first + 1), qdrant.NewIDNum(g.first + 2)}
}

// change asks for the next state.
func (g *trio) change(ctx context.Context, c *qdrant.Client, rng *rand.Rand) error {
	wait := qdrant.PtrOf(true)
	next := max(g.acked, 0) + 1
	if g.acked > 0 && rng.IntN(6) == 0 {
		next = -1
	}
	g.pending, g.unsure = next, true
	var res *qdrant.UpdateResult
	var err error
	switch {
	case next == -1:
		res, err = c.Delete(ctx, &qdrant.DeletePoints{CollectionName: "c", Wait: wait, Points: qdrant.NewPointsSelectorIDs(g.ids())})
	case next%2 == 1:
		var points []*qdrant.PointStruct
		for id := g.first; id < g.first+3; id++ {
			points = append(points, point(id, []float32{1, float32(id), 0, 0}, map[uint32]float32{uint32(id): 1}, map[string]any{"owner": fmt.Sprint(id % 3), "state": int64(next), "whole": int64(next)}))
		}
		res, err = c.Upsert(ctx, &qdrant.UpsertPoints{CollectionName: "c", Wait: wait, Points: points})
	default:
		res, err = c.SetPayload(ctx, &qdrant.SetPayloadPoints{CollectionName: "c", Wait: wait, Payload: qdrant.NewValueMap(map[string]any{"state": int64(next)}), PointsSelector: qdrant.NewPointsSelectorIDs(g.ids())})
	}
	if err != nil {
		return err
	}
	if res.GetStatus() != qdrant.UpdateStatus_Completed {
		return fmt.Errorf("status %s", res.GetStatus())
	}
	g.acked, g.unsure = next, false
	return nil
}

// check holds what is stored to what was acknowledged, and takes it for the acknowledged state from now on.
func (g *trio) check(c *qdrant.Client) error {
	got, err := c.Get(context.Background(), &qdrant.GetPoints{CollectionName: "c", Ids: g.ids(), WithPayload: qdrant.NewWithPayload(true), WithVectors: qdrant.NewWithVectors(true)})
	if err != nil {
		return err
	}
	state := -1
	for i, p := range got {
		s := int(p.Payload["state"].GetIntegerValue())
		if whole := int(p.Payload["whole"].GetIntegerValue()); len(got) != 3 || i > 0 && s != state || whole != s && whole != s-1 || len(p.GetVectors().GetVectors().GetVectors()) != 2 {
			return fmt.Errorf("torn: %v", got)
		}
		state = s
	}
	switch {
	case state == g.acked, state == -1 && g.acked == 0, g.unsure && state == g.pending:
	default:
		return fmt.Errorf("state %d, acknowledged %d, asked for %d (%v)", state, g.acked, g.pending, g.unsure)
	}
	g.acked, g.unsure = state, false
	return nil
}

// writers change trios from four sides, each those of its own, until a change fails, as it does once the process is dead.
// An answer that comes when dead reports true counts as none. wait returns when all have ended, with how many changes
// were acknowledged.
func writers(round int, trios []*trio, c *qdrant.Client, dead func() bool) (wait func() (acked int)) {
	const sides = 4
	var wg sync.WaitGroup
	var acked atomic.Int64
	for w := range sides {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(round), uint64(w)))
			for i := w; ; i = sides*rng.IntN(len(trios)/sides) + w {
				g := trios[i]
				before := g.acked
				if g.change(context.Background(), c, rng) != nil {
					return
				}
				if dead() {
					g.acked, g.unsure = before, true
					return
				}
				acked.Add(1)
			}
		})
	}
	return func() int { wg.Wait(); return int(acked.Load()) }
}

func TestKilledProcessKeepsWhatItAcknowledged(t *testing.T) {
	kills := 100
	if testing.Short() {
		kills = 5
	}
	dir := t.TempDir()
	var trios []*trio
	acked, unsure := 0, 0
	for round := range kills {
		cmd, c := spawnChild(t, dir, round%2 == 1)
		if round == 0 {
			(&rig{Client: c, t: t}).docs("c")
		}
		for _, g := range trios {
			if g.unsure {
				unsure++
			}
			if err := g.check(c); err != nil {
				t.Fatalf("after %d kills: points from %d on: %v", round, g.first, err)
			}
		}
		for range 4 {
			trios = append(trios, &trio{first: uint64(3 * len(trios))})
		}
		wait := writers(round, trios, c, func() bool { return false })
		moment := time.NewTimer(time.Duration(rand.IntN(150_000)) * time.Microsecond) // any, on purpose
		<-moment.C
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		acked += wait()
		_ = cmd.Wait()
		_ = c.Close()
	}
	r := open(t, dir)
	for _, g := range trios {
		if err := g.check(r.Client); err != nil {
			t.Fatalf("in the end: points from %d on: %v", g.first, err)
		}
	}
	if acked == 0 {
		t.Fatal("nothing was acknowledged")
	}
	t.Logf("%d kills: %d changes acknowledged, none lost or torn; %d were under way", kills, acked, unsure)
}

// spawnChild starts a process that serves dir, and compacts it all the time.
func spawnChild(t *testing.T, dir string, compacts bool) (*exec.Cmd, *qdrant.Client) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+dir)
	if compacts {
		cmd.Env = append(cmd.Env, childCompacts+"=1")
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	var port int
	if _, err := fmt.Sscanf(line, "port %d", &port); err != nil {
		t.Fatalf("child said %q", line)
	}
	c, err := qdrant.NewClient(&qdrant.Config{Host: "127.0.0.1", Port: port, SkipCompatibilityCheck: true})
	if err != nil {
		t.Fatal(err)
	}
	return cmd, c
}
