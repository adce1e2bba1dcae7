package client_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/siltstone-ai/siltstone/pkg/client"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// A turn with what a tool returned. What is remembered of the output is decided by the tool's policy on the server.
func ExampleHTTP_Publish() {
	memory, err := client.NewHTTP(httpAddress, client.WithTenant("publish"))
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	accepted, err := memory.Publish(ctx, schema.Turn{
		ID: "deploy-7", User: "alice", Conversation: "c-1",
		Input: "Deploy the gateway, please.", Response: "Done: it listens on port 9090 now.",
		ToolsUsed:   []string{"cmd_run"},
		ToolResults: []schema.ToolResult{{Name: "cmd_run", Output: "listening on 9090", Status: schema.ToolOK}},
	})
	if err != nil {
		log.Fatal(err)
	}
	again, err := memory.Publish(ctx, schema.Turn{ID: "deploy-8", User: "alice", Input: "Thanks!"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(accepted.ID, accepted.Duplicate, again.Seq > accepted.Seq)
	// Output: deploy-7 false true
}

// A write that returns once it is searchable.
func ExampleWaitIndexed() {
	memory, err := client.NewHTTP(httpAddress, client.WithTenant("wait"))
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	accepted, err := memory.Publish(ctx, schema.Turn{ID: "t-1", User: "alice", Input: "My manager is Elena."}, client.WaitIndexed())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(accepted.ID, *accepted.Indexed)
	// Output: t-1 true
}

// What a query may ask for beside its text.
func ExampleHTTP_Query() {
	memory, err := client.NewHTTP(httpAddress, client.WithTenant("query"))
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	accepted, err := memory.Publish(ctx, schema.Turn{
		ID: "t-1", User: "alice", Conversation: "c-1", Input: "The spare fuse lies in the red tin.",
		Metadata: map[string]any{"app.version": "1.2"},
	})
	if err != nil {
		log.Fatal(err)
	}
	reply, err := memory.Query(ctx, schema.Query{
		User: "alice", Query: "Where is the spare fuse?",
		MinSeq:  accepted.Seq, // wait for what was just published
		Limit:   5,
		Filter:  &schema.QueryFilter{Metadata: map[string]any{"app.version": "1.2"}},
		Explain: true, // how each score came about
	})
	if err != nil {
		log.Fatal(err)
	}
	best := reply.Items[0]
	fmt.Println(best.Content, best.Source.Event, best.Explain != nil)
	fmt.Println(reply.Stale, reply.Degraded) // min_seq was reached, and nothing failed on the way
	// Output:
	// The spare fuse lies in the red tin. t-1 true
	// false []
}

// A memory stated outright, and read with where it comes from.
func ExampleHTTP_Remember() {
	memory, err := client.NewHTTP(httpAddress, client.WithTenant("remember"))
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	w, err := memory.Remember(ctx, schema.MemoryWrite{User: "alice", Type: schema.TypeFact, Content: "The spare fuse lies in the red tin."}, client.WaitIndexed())
	if err != nil {
		log.Fatal(err)
	}
	view, err := memory.Memory(ctx, "alice", w.ID)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(view.Memory.Content, view.Memory.Status, view.Memory.Explicit, view.Events[0].Class)
	// Output: The spare fuse lies in the red tin. active true user
}

// An edit keeps the old statement as history. Either id names the memory from then on.
func ExampleHTTP_EditMemory() {
	memory, err := client.NewHTTP(httpAddress, client.WithTenant("edit"))
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	w, err := memory.Remember(ctx, schema.MemoryWrite{User: "alice", Type: schema.TypeFact, Content: "The spare fuse lies in the red tin."}, client.WaitIndexed())
	if err != nil {
		log.Fatal(err)
	}
	edited, err := memory.EditMemory(ctx, "alice", w.ID, schema.MemoryPatch{Content: "The spare fuse lies in the walnut drawer."}, client.WaitIndexed())
	if err != nil {
		log.Fatal(err)
	}
	view, err := memory.Memory(ctx, "alice", edited.ID)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(view.Memory.Content)
	for _, old := range view.History {
		fmt.Println(old.Status, old.Content)
	}
	// Output:
	// The spare fuse lies in the walnut drawer.
	// superseded The spare fuse lies in the red tin.
}

// A deletion takes a memory back, with its edits.
func ExampleHTTP_DeleteMemory() {
	memory, err := client.NewHTTP(httpAddress, client.WithTenant("delete"))
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	w, err := memory.Remember(ctx, schema.MemoryWrite{User: "alice", Type: schema.TypeFact, Content: "The spare fuse lies in the red tin."}, client.WaitIndexed())
	if err != nil {
		log.Fatal(err)
	}
	if _, err := memory.DeleteMemory(ctx, "alice", w.ID, client.WaitIndexed()); err != nil {
		log.Fatal(err)
	}
	_, err = memory.Memory(ctx, "alice", w.ID)
	fmt.Println(schema.CodeOf(err))
	// Output: not_found
}

// Every memory of a user, page by page.
func ExampleHTTP_Memories() {
	memory, err := client.NewHTTP(httpAddress, client.WithTenant("list"))
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	for _, text := range []string{"My manager is Elena.", "My locker is number 12.", "我住在杭州。"} {
		if _, err := memory.Publish(ctx, schema.Turn{User: "alice", Input: text}, client.WaitIndexed()); err != nil {
			log.Fatal(err)
		}
	}
	turns := 0
	for q := (schema.MemoryQuery{User: "alice", Type: schema.TypeEpisode, Limit: 2}); ; {
		page, err := memory.Memories(ctx, q)
		if err != nil {
			log.Fatal(err)
		}
		turns += len(page.Items)
		if q.Cursor = page.Cursor; q.Cursor == "" {
			break
		}
	}
	fmt.Println(turns)
	// Output: 3
}

// A pin is in every block of its user, whatever is asked, until it is taken back.
func ExampleHTTP_Pin() {
	memory, err := client.NewHTTP(httpAddress, client.WithTenant("pin"))
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	pin, err := memory.Pin(ctx, schema.Pin{User: "alice", Content: "Never book flights before nine."}, client.WaitIndexed())
	if err != nil {
		log.Fatal(err)
	}
	reply, err := memory.Query(ctx, schema.Query{User: "alice", Query: "What is the weather like?"})
	if err != nil {
		log.Fatal(err)
	}
	pins, err := memory.Pins(ctx, "alice")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(strings.Contains(reply.Block, "flights before nine"), len(pins))
	if _, err := memory.Unpin(ctx, "alice", pin.ID, client.WaitIndexed()); err != nil {
		log.Fatal(err)
	}
	pins, err = memory.Pins(ctx, "alice")
	fmt.Println(len(pins), err)
	// Output:
	// true 1
	// 0 <nil>
}

// Counted first, then done: from the answer on no query shows it.
func ExampleHTTP_Forget() {
	memory, err := client.NewHTTP(httpAddress, client.WithTenant("forget"))
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	if _, err := memory.Publish(ctx, schema.Turn{ID: "t-1", User: "alice", Input: "My blood type is AB negative."}, client.WaitIndexed()); err != nil {
		log.Fatal(err)
	}
	f := schema.Forget{User: "alice", Match: "blood type", DryRun: true}
	would, err := memory.Forget(ctx, f)
	if err != nil {
		log.Fatal(err)
	}
	f.DryRun = false
	done, err := memory.Forget(ctx, f)
	if err != nil {
		log.Fatal(err)
	}
	reply, err := memory.Query(ctx, schema.Query{User: "alice", Query: "What is my blood type?"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(would.Matched == done.Matched, done.Job != "", len(reply.Items))
	// Output: true true 0
}

// Every event is accounted for.
func ExampleHTTP_Status() {
	memory, err := client.NewHTTP(httpAddress, client.WithTenant("status"))
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	if _, err := memory.Publish(ctx, schema.Turn{ID: "t-1", User: "alice", Input: "My manager is Elena."}, client.WaitIndexed()); err != nil {
		log.Fatal(err)
	}
	st, err := memory.Status(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(st.Idle, st.Ledger.Accepted, st.Ledger.Indexed, st.Ledger.Pending)
	// Output: true 1 1 0
}

// What became of one event, and what was computed from it. The raw event keeps its bytes.
func ExampleHTTP_EventStatus() {
	memory, err := client.NewHTTP(httpAddress, client.WithTenant("event"))
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	raw := []byte(`{"id":"t-1", "user":"alice", "input":"My manager is Elena."}`)
	if _, err := memory.PublishRaw(ctx, raw, client.WaitIndexed()); err != nil {
		log.Fatal(err)
	}
	st, err := memory.EventStatus(ctx, "t-1", true)
	if err != nil {
		log.Fatal(err)
	}
	kept, err := memory.Event(ctx, "t-1")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(st.State, st.Computed.Segments[0].Text, st.Computed.Facts[0].Type)
	fmt.Println(string(kept) == string(raw))
	// Output:
	// indexed My manager is Elena. fact
	// true
}

// A tool whose output is kept raw and computed nowhere.
func ExampleHTTP_SetTool() {
	memory, err := client.NewHTTP(httpAddress, client.WithTenant("tools"))
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	no := true
	def, err := memory.SetTool(ctx, schema.ToolPolicy{Name: "read_mailbox", NoMemory: &no})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(def.Name, def.NoMemory)
	// Output: read_mailbox true
}

// A user who has switched a type of memory off.
func ExampleHTTP_SetSettings() {
	memory, err := client.NewHTTP(httpAddress, client.WithTenant("settings"))
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	if err := memory.SetSettings(ctx, "alice", schema.Settings{Types: map[schema.Type]bool{schema.TypeTodoHint: false}}); err != nil {
		log.Fatal(err)
	}
	s, err := memory.Settings(ctx, "alice")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(s.On(), s.Allows(schema.TypeFact), s.Allows(schema.TypeTodoHint))
	// Output: true true false
}
