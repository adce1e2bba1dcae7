//go:build chaos

package chaos

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// day is the moment about which the turns are.
var day = time.Date(2026, 9, 1, 9, 0, 0, 0, time.UTC)

// What a workload is spread over. Few users, so that their facts meet in the same slots.
var (
	tenants = []string{"acme", "bolt", "dawn"}
	people  = 6
)

// fate is what must become of an event in the end.
type fate string

const (
	indexed   fate = "indexed"
	dropped   fate = "dropped"
	dead      fate = "dead"
	forgotten fate = "forgotten"
)

// event is one that the workload offers to the log, and what must become of it.
type event struct {
	tenant, id string
	body       []byte // as published; nil for one whose body the server makes
	fate       fate
	job        *job // the first that offers it
}

// job is one request. It is repeated until it is answered.
type job struct {
	tenant string
	turns  []*event            // as one batch
	memory *schema.MemoryWrite // or one of these
	pin    *schema.Pin
	forget *schema.Forget
	broken *event        // straight into the log: what no build can read
	needs  []*job        // must have been answered before
	done   chan struct{} // closed once it was answered
	weight int           // turns, for the pace
}

// workload is all that one run publishes, drawn from its seed.
type workload struct {
	rng    *rand.Rand
	turns  int
	jobs   []*job
	events map[string]*event // by tenant and id
	open   []*event          // turns that may be said again or forgotten
}

func key(tenant, id string) string { return tenant + "\x00" + id }

// newWorkload draws n turns, with what comes between them.
func newWorkload(seed uint64, n int) *workload {
	w := &workload{rng: rand.New(rand.NewPCG(seed, 1)), events: map[string]*event{}}
	// Each kind often enough to meet every point of its own, also in a short run.
	rare := max(n/60, 8)
	for next := rare; w.turns < n; {
		size := 1 + w.rng.IntN(60)
		if w.rng.IntN(3) == 0 {
			size = 1 + w.rng.IntN(12) // too few for an atomic batch
		}
		w.batch(min(size, n-w.turns))
		if w.turns >= next {
			next += rare
			w.between()
		}
	}
	return w
}

func (w *workload) add(j *job) *job {
	j.done = make(chan struct{})
	w.jobs = append(w.jobs, j)
	return j
}

// offer notes an event that j offers first.
func (w *workload) offer(j *job, id string, body []byte, f fate) *event {
	e := &event{tenant: j.tenant, id: id, body: body, fate: f, job: j}
	w.events[key(j.tenant, id)] = e
	return e
}

// batch is one request with n new turns, and now and then one that was published before.
func (w *workload) batch(n int) {
	j := w.add(&job{tenant: tenants[w.rng.IntN(len(tenants))], weight: n})
	for range n {
		t, f := w.turn(w.turns)
		w.turns++
		e := w.offer(j, t.ID, encode(t), f)
		j.turns = append(j.turns, e)
		if f == indexed {
			w.open = append(w.open, e)
		}
	}
	if w.rng.IntN(4) == 0 && len(w.open) > 0 {
		if e := w.take(); e != nil && e.tenant == j.tenant {
			j.turns = append(j.turns, e) // the same id and bytes again
		}
	}
}

// take draws a turn that was offered, for one use only.
func (w *workload) take() *event {
	i := w.rng.IntN(len(w.open))
	e := w.open[i]
	w.open[i] = w.open[len(w.open)-1]
	w.open = w.open[:len(w.open)-1]
	return e
}

// turn is number i.
func (w *workload) turn(i int) (schema.Turn, fate) {
	n := strconv.Itoa(i)
	word := "zq" + n + "w"
	t := schema.Turn{
		ID: "t" + n, User: w.user(), Agent: "scout", Conversation: "c" + strconv.Itoa(i/40), At: day.Add(-time.Duration(w.rng.IntN(90*24)) * time.Hour),
		Response: "Noted.",
	}
	switch w.rng.IntN(12) {
	case 0:
		t.Input = "My manager is Person" + strconv.Itoa(w.rng.IntN(9)) + ". Ask about " + word + "."
	case 1:
		t.Input = "我现在住在" + pick(w.rng, "成都", "上海", "广州", "杭州") + "。编号 " + word + "。"
	case 2:
		t.Input = "Never deploy " + word + " on Fridays."
	case 3:
		t.Input = "绝对不要在周" + pick(w.rng, "一", "三", "五") + "发布 " + word + "。"
	case 4:
		t.Input = "I prefer charts over tables for " + word + "."
		t.ToolResults = []schema.ToolResult{{Name: "read_file", Output: "# " + word + "\nsrc/" + word + ".go: the pump runs\n", CallID: "call-" + n}}
	case 5: // a result that comes before its turn ends
		t.Input, t.Response = "", ""
		t.ToolResults = []schema.ToolResult{{Name: "web_search", Output: "The valve " + word + " is made in Lyon. 阀门产自里昂。"}}
	case 6: // nothing of it is to be remembered
		t.Input, t.Response = "", ""
		t.ToolResults = []schema.ToolResult{{Name: "todo_write", Output: "1. " + word}}
		return t, dropped
	default:
		t.Input = "The pump " + word + " listens on port " + strconv.Itoa(10_000+w.rng.IntN(50_000)) + ". 水泵很安静。"
	}
	return t, indexed
}

func (w *workload) user() string { return "u" + strconv.Itoa(w.rng.IntN(people)) }

func pick(r *rand.Rand, of ...string) string { return of[r.IntN(len(of))] }

// between is what comes now and then between the turns: one of each kind.
func (w *workload) between() {
	n := strconv.Itoa(len(w.jobs))
	tenant := tenants[w.rng.IntN(len(tenants))]
	remember := w.add(&job{tenant: tenant, memory: &schema.MemoryWrite{ID: "m" + n, User: w.user(), Type: schema.TypeFact, Content: "The key m" + n + " lies under the mat."}})
	w.offer(remember, "m"+n, nil, indexed)
	pin := w.add(&job{tenant: tenant, pin: &schema.Pin{ID: "p" + n, User: w.user(), Content: "Answer p" + n + " in full sentences."}})
	w.offer(pin, "p"+n, nil, indexed)

	// A body that does not fit into a message, of which little is worked on.
	big := schema.Turn{ID: "b" + n, User: w.user(), At: day, Input: "The archive b" + n + " is in the cellar.", ToolResults: []schema.ToolResult{
		{Name: "todo_write", Output: strings.Repeat("line of b"+n+"\n", 60<<10)},
	}}
	j := w.add(&job{tenant: tenant, weight: 1})
	j.turns = []*event{w.offer(j, big.ID, encode(big), indexed)}
	w.turns++

	// What passes every check of an envelope and cannot be read: a log may hold what another build wrote.
	broken := w.add(&job{tenant: tenant})
	broken.broken = w.offer(broken, "x"+n, []byte(`{"user": "u0", "input": `), dead)

	w.forget(n)
}

// forget is a request to forget turns that were answered for before, and what they come to.
func (w *workload) forget(n string) {
	if len(w.open) < 20 {
		return
	}
	e := w.take()
	var t schema.Turn
	if err := json.Unmarshal(e.body, &t); err != nil {
		panic(err)
	}
	e.fate = forgotten
	req := &schema.Forget{User: t.User, IDs: []string{t.ID}}
	if w.rng.IntN(2) == 0 { // by what it says, which no other turn does
		req = &schema.Forget{User: t.User, Match: "zq" + t.ID[1:] + "w"}
	}
	w.add(&job{tenant: e.tenant, forget: req, needs: []*job{e.job}})
}

// encode is a turn as it is published: as bytes that stay the same.
func encode(t schema.Turn) []byte {
	b, err := json.Marshal(t)
	if err != nil {
		panic(fmt.Sprintf("encode turn %s: %v", t.ID, err))
	}
	return b
}
