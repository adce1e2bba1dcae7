package client_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/nats-io/nats.go"

	"github.com/siltstone-ai/siltstone/pkg/client"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Answered by an ingester once the log has it; with WaitIndexed once it is searchable.
func ExampleNATS_Publish() {
	nc, err := nats.Connect(natsAddress)
	if err != nil {
		log.Fatal(err)
	}
	defer nc.Close()
	memory, err := client.NewNATS(nc, client.WithTenant("nats-publish"))
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	accepted, err := memory.Publish(ctx, schema.Turn{ID: "t-1", User: "bob", Input: "I report to Elena now.", Response: "Noted."}, client.WaitIndexed())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(accepted.ID, *accepted.Indexed)
	// Output: t-1 true
}

// Many turns, one JSON object a line, in as many requests as they need.
func ExampleNATS_PublishBatch() {
	nc, err := nats.Connect(natsAddress)
	if err != nil {
		log.Fatal(err)
	}
	defer nc.Close()
	memory, err := client.NewNATS(nc, client.WithTenant("nats-batch"))
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	out, err := memory.PublishBatch(ctx, strings.NewReader(`
{"id":"b-1","user":"bob","input":"My locker is number 12."}
{"id":"b-2","input":"whose?"}
`), client.WaitIndexed())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(out.Accepted), *out.Indexed, out.Rejected[0].Line, out.Rejected[0].Error.Field)
	// Output: 1 true 3 user
}

// A query waits for the turn that was just published.
func ExampleNATS_Query() {
	nc, err := nats.Connect(natsAddress)
	if err != nil {
		log.Fatal(err)
	}
	defer nc.Close()
	memory, err := client.NewNATS(nc, client.WithTenant("nats-query"))
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	accepted, err := memory.Publish(ctx, schema.Turn{User: "bob", Input: "以后点外卖都不要放香菜。"})
	if err != nil {
		log.Fatal(err)
	}
	reply, err := memory.Query(ctx, schema.Query{User: "bob", Query: "点一碗面", MinSeq: accepted.Seq})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(strings.Contains(reply.Block, "香菜"), reply.Items[0].Type)
	// Output: true constraint
}

// A whole conversation goes.
func ExampleNATS_Forget() {
	nc, err := nats.Connect(natsAddress)
	if err != nil {
		log.Fatal(err)
	}
	defer nc.Close()
	memory, err := client.NewNATS(nc, client.WithTenant("nats-forget"))
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	turn := schema.Turn{ID: "t-1", User: "bob", Conversation: "c-9", Input: "My blood type is AB negative."}
	if _, err := memory.Publish(ctx, turn, client.WaitIndexed()); err != nil {
		log.Fatal(err)
	}
	done, err := memory.Forget(ctx, schema.Forget{User: "bob", Conversation: "c-9"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(done.Matched > 0, done.Job != "")
	// Output: true true
}

// How far the pipeline is for the tenant.
func ExampleNATS_Status() {
	nc, err := nats.Connect(natsAddress)
	if err != nil {
		log.Fatal(err)
	}
	defer nc.Close()
	memory, err := client.NewNATS(nc, client.WithTenant("nats-status"))
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	if _, err := memory.Publish(ctx, schema.Turn{User: "bob", Input: "hello"}, client.WaitIndexed()); err != nil {
		log.Fatal(err)
	}
	st, err := memory.Status(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(st.Idle, st.Ledger.Accepted)
	// Output: true 1
}
