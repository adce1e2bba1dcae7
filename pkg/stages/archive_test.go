package stages

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// archivedTurn has something for every stage, in both languages.
func archivedTurn(t *testing.T) schema.Event {
	return turnEvent(t, 3, schema.Turn{
		ID: "e", User: "u1", Input: "I live in Ghent. 看看发布目录里有哪些脚本。", Response: "There are several.",
		ToolResults: []schema.ToolResult{{Name: "files_list", Output: `{"path":"/srv/tools/release","entries":["deploy.py","rollback.sh"]}`}},
	})
}

// points is everything that a world holds, as text.
func (w *world) everything() string {
	var b strings.Builder
	for _, c := range schema.Collections {
		for _, id := range sortedKeys(w.points[c]) {
			fmt.Fprintf(&b, "%s %s %v\n", c, id, w.points[c][id])
		}
	}
	return b.String()
}

// newArchiveWorld is a world in which marks count and terms points are written too.
func newArchiveWorld() *world {
	w := newWorld()
	w.marked = true
	w.flow = map[schema.Op][]Spec{schema.OpTurn: {Clean}, schema.OpCleaned: {Vectorize, Extract, Distill}, schema.OpFact: {Decide}}
	return w
}

var everyFlag = append(slices.Clone(flagged), extractName)

func (w *world) settled(uuid string) bool {
	p := w.points[schema.Events][uuid]
	return p != nil && !slices.ContainsFunc(everyFlag, func(s string) bool { return p[schema.KeyDone+s] != true })
}

// Whenever the archive event comes, whoever learns of it when, whatever is delivered twice and whoever dies: the points are
// those of a reading of the log that knew of it from the start, and those of a forgotten turn where it is forgotten too.
func TestA9_WritesOfAnArchivedTurnCommute(t *testing.T) {
	ev := archivedTurn(t)
	want := map[bool]string{}
	for _, forgotten := range []bool{false, true} {
		w := newArchiveWorld()
		w.deliver(ev)
		if err := w.run(); err != nil {
			t.Fatal(err)
		}
		if w.archived = true; forgotten {
			w.forgotten = true
			w.forget(ev.UUID)
		} else {
			w.queue = append(w.queue, delivery{Archive, ev})
			if err := w.run(); err != nil {
				t.Fatal(err)
			}
		}
		want[forgotten] = w.everything()
	}
	if text := want[false]; strings.Count(text, "passages ") != 2 || !strings.Contains(text, "facts ") || strings.Contains(text, "entries") {
		t.Fatalf("of an archived turn there is\n%s", text)
	}
	rapid.Check(t, func(rt *rapid.T) {
		w := newArchiveWorld()
		w.pick = func(n int) int { return rapid.IntRange(0, n-1).Draw(rt, "next") }
		crashes, copies, falls := 3, 4, rapid.IntRange(0, 12).Draw(rt, "the archiving dies at step")
		w.crash = func(at Spec) bool {
			if at.Name == Archive.Name { // it dies once by itself: nobody else goes over what it had written
				falls--
				return falls == 0
			}
			if crashes == 0 || rapid.IntRange(0, 15).Draw(rt, "crash") > 0 {
				return false
			}
			crashes--
			return true
		}
		w.twice = func() bool {
			if copies == 0 || !rapid.Bool().Draw(rt, "twice") {
				return false
			}
			copies--
			return true
		}
		at, wait := rapid.IntRange(0, 80).Draw(rt, "archived at step"), rapid.IntRange(0, 12).Draw(rt, "forgotten so many steps after it is carried out")
		forgets := rapid.Bool().Draw(rt, "forgotten")
		step, carried, emptied := 0, false, false
		w.between = func() {
			idle := len(w.queue)+len(w.active) == 0
			step++
			w.archived = w.archived || step > at || idle
			if carried {
				wait--
			}
			w.forgotten = w.forgotten || forgets && (wait < 0 || idle && w.archived)
			if w.settled(ev.UUID) { // each is carried out only then; late workers may be at it still
				if w.archived && !carried {
					carried = true
					w.queue = append(w.queue, delivery{Archive, ev})
				}
				if w.forgotten && !emptied {
					emptied = true
					w.forget(ev.UUID)
				}
			}
		}
		w.deliver(ev)
		if err := w.run(); err != nil {
			rt.Fatal(err)
		}
		if !carried || emptied != forgets {
			rt.Fatalf("it is carried out: archive %v, forget %v", carried, emptied)
		}
		if got := w.everything(); got != want[forgets] {
			rt.Fatalf("there is\n%s\nwant\n%s", got, want[forgets])
		}
	})
}

// forget does at once what the forgetter does.
func (w *world) forget(uuid string) {
	applyTo(w.points[schema.Events], schema.ForgottenWrite("", uuid))
	for _, c := range []schema.Collection{schema.Passages, schema.Triples, schema.Facts} {
		for id, p := range w.points[c] {
			if p[schema.KeyEvent] == uuid {
				delete(w.points[c], id)
			}
		}
	}
}

func TestDocument(t *testing.T) {
	in := func(s string) schema.Segment {
		return schema.Segment{Key: "input", Kind: schema.SegInput, Class: schema.ClassUser, Text: s, Lang: "en"}
	}
	out := func(s string) schema.Segment {
		return schema.Segment{Key: "response", Kind: schema.SegResponse, Class: schema.ClassAssistant, Text: s}
	}
	tool := func(i int, name, s string) schema.Segment {
		return schema.Segment{Key: fmt.Sprint("tool.", i), Kind: schema.SegTool, Tool: name, Class: schema.ClassTool, Text: "[source: " + name + "] " + s}
	}
	long := strings.Repeat("Well, this and that was said in passing. ", 30)
	for _, x := range []struct {
		name  string
		segs  []schema.Segment
		class schema.Class
		tools []string
		has   []string
		not   []string
	}{
		{"a listing", []schema.Segment{in("Look at it."), out("There are several."), tool(0, "files_list", `{"path":"/srv/release","entries":["deploy.py","deploy.py"]}`)},
			schema.ClassTool, []string{"files_list"}, []string{"Look at it.", "There are several.", "[source: files_list] /srv/release, deploy.py"}, []string{"entries\"", "deploy.py, deploy.py"}},
		{"中文", []schema.Segment{in("看看备份目录里有哪些脚本。"), tool(0, "列目录", "/data/backup/restore.py 由王建国维护")},
			schema.ClassTool, []string{"列目录"}, []string{"看看备份目录里有哪些脚本。", "[source: 列目录] /data/backup/restore.py", "王建国"}, nil},
		{"pieces of one output are one line", []schema.Segment{tool(0, "ls", "/srv/a.txt"), tool(1, "cat", "/srv/c.txt"), tool(2, "ls", "/srv/b.txt")},
			schema.ClassTool, []string{"cat", "ls"}, []string{"[source: ls] /srv/a.txt, /srv/b.txt", "[source: cat] /srv/c.txt"}, nil},
		{"what the summary leaves out by name", []schema.Segment{in(long + "Ask Marta Quint about /etc/ledger.yaml. " + long)},
			schema.ClassUser, nil, []string{"/etc/ledger.yaml", "Marta Quint"}, []string{long}},
		{"nothing", []schema.Segment{in(" \n")}, 0, nil, nil, nil},
	} {
		t.Run(x.name, func(t *testing.T) {
			docs := document(x.segs)
			if len(x.has) == 0 {
				if len(docs) > 0 {
					t.Errorf("it is %+v", docs)
				}
				return
			}
			if len(docs) != 1 || docs[0].Key != keyDocument || docs[0].Kind != schema.SegArchive || docs[0].Class != x.class || !slices.Equal(docs[0].Tools, x.tools) || docs[0].Lang == "" {
				t.Fatalf("it is %+v", docs)
			}
			for _, s := range x.has {
				if !strings.Contains(docs[0].Text, s) {
					t.Errorf("%q is not in it:\n%s", s, docs[0].Text)
				}
			}
			for _, s := range x.not {
				if strings.Contains(docs[0].Text, s) {
					t.Errorf("%.60q is in it:\n%s", s, docs[0].Text)
				}
			}
		})
	}
	var b strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&b, "/srv/data/part-%04d.csv\n", i)
	}
	var segs []schema.Segment
	for i := range 200 {
		segs = append(segs, tool(i, fmt.Sprint("t", i), b.String()))
	}
	if n := len([]rune(document(segs)[0].Text)); n > maxDocument || n < maxDocument/2 {
		t.Errorf("the document of a million lines has %d characters", n)
	}
	// Where the head of a tool's line has no room any more, nothing of what the tool put out stands there.
	segs = []schema.Segment{tool(0, "t", b.String()), tool(1, strings.Repeat("long", maxDocument/4), "/srv/x"), tool(2, "t2", "/srv/y")}
	for line := range strings.Lines(document(segs)[0].Text) {
		if !strings.HasPrefix(line, "[source: ") {
			t.Errorf("a line of tools' output alone begins with %.40q", line)
		}
	}
}

// What the index has of a turn goes, whatever the turn would be cut into today: a tool that is marked no_memory since.
func TestA9_WhatAToolSaidBeforeItWasNoMemoryGoesWithArchiving(t *testing.T) {
	for name, x := range map[string]struct {
		turn schema.Turn
		left int // passages
	}{
		"beside what was said": {schema.Turn{ID: "e", User: "u1", Input: "看看。 Look at it.", ToolResults: []schema.ToolResult{{Name: "safe", Output: "/srv/zqbox.txt"}}}, 2},
		"alone":                {schema.Turn{ID: "e", User: "u1", ToolResults: []schema.ToolResult{{Name: "safe", Output: "/srv/zqbox.txt"}}}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			ev := turnEvent(t, 3, x.turn)
			w := newArchiveWorld()
			w.tools = cleanTools{"safe": {{}}}
			w.deliver(ev)
			if err := w.run(); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(w.everything(), "zqbox") {
				t.Fatal("it was never indexed")
			}
			w.tools = cleanTools{"safe": {{NoMemory: true}}}
			w.archived = true
			w.queue = append(w.queue, delivery{Archive, ev})
			if err := w.run(); err != nil {
				t.Fatal(err)
			}
			p := w.points[schema.Events][ev.UUID]
			if n := len(w.points[schema.Passages]); n != x.left || strings.Contains(fmt.Sprint(p[schema.KeySegments]), "zqbox") || p[schema.KeyArchived] != true {
				t.Errorf("%d passages are left, the point is %v", n, p)
			}
			if !strings.Contains(fmt.Sprint(p[schema.KeyDropped]), "no_memory") {
				t.Errorf("it is not told why: %v", p[schema.KeyDropped])
			}
		})
	}
}

// A stage that did not know of the archive event when it decided, and learns of it after its writes, decides once more.
func TestALateWriterOfAnArchivedTurnDecidesOnceMore(t *testing.T) {
	rec := &archivedRecorder{}
	runs := 0
	r := Runner{Spec: Spec{Name: "x", Prunes: true}, Sink: rec, Marks: rec, Func: func(context.Context, schema.Event) (schema.Result, error) {
		runs++
		w := schema.Write{Kind: schema.WriteUpsert, Collection: schema.Passages, Owner: "t.u", Point: schema.Point{ID: fmt.Sprint("p", runs)}}
		return schema.Result{Writes: []schema.Write{w}, Archived: runs > 1}, nil
	}}
	if err := r.Handle(t.Context(), schema.Event{Envelope: schema.Envelope{ID: "x", Seq: 7}}); err != nil || runs != 2 {
		t.Errorf("it ran %d times: %v", runs, err)
	}
	r.Spec.Prunes = false
	if runs = 0; r.Handle(t.Context(), schema.Event{}) != nil || runs != 1 {
		t.Errorf("a stage that writes the same ran %d times", runs)
	}
}

type archivedRecorder struct{ recorder }

func (*archivedRecorder) Archived(schema.Event) bool { return true }
