package client_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"strings"

	"github.com/nats-io/nats.go"

	"github.com/siltstone-ai/siltstone/pkg/client"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Publish a turn when it ends, and ask before the next one.
func ExampleNewHTTP() {
	memory, err := client.NewHTTP(httpAddress) // such as http://127.0.0.1:8317
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	accepted, err := memory.Publish(ctx, schema.Turn{
		ID: "order-17", User: "alice", Conversation: "c1",
		Input: "No coriander in my takeaway orders, please.", Response: "Noted.",
	})
	if err != nil {
		log.Fatal(err)
	}
	reply, err := memory.Query(ctx, schema.Query{
		User: "alice", Query: "order some noodles",
		MinSeq: accepted.Seq, // wait until what was just published is searchable
	})
	if err != nil {
		log.Fatal(err)
	}
	// reply.Block goes into the prompt, just before the latest user message.
	fmt.Println(strings.Contains(reply.Block, "No coriander"), reply.Items[0].Type)
	// Output: true constraint
}

// Over NATS the same: an ingester answers publishes, a retriever queries.
func ExampleNewNATS() {
	nc, err := nats.Connect(natsAddress)
	if err != nil {
		log.Fatal(err)
	}
	defer nc.Close()
	memory, err := client.NewNATS(nc)
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	accepted, err := memory.Publish(ctx, schema.Turn{ID: "standup-3", User: "bob", Input: "I report to Elena now.", Response: "Noted."})
	if err != nil {
		log.Fatal(err)
	}
	reply, err := memory.Query(ctx, schema.Query{User: "bob", Query: "Who do I report to?", MinSeq: accepted.Seq})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(accepted.ID, strings.Contains(reply.Block, "Elena"))
	// Output: standup-3 true
}

// An agent that does not wait for anything hands its turns over; they reach intake when an ingester runs.
func ExampleNATS_Enqueue() {
	nc, err := nats.Connect(natsAddress)
	if err != nil {
		log.Fatal(err)
	}
	defer nc.Close()
	memory, err := client.NewNATS(nc)
	if err != nil {
		log.Fatal(err)
	}
	id, err := memory.Enqueue(context.Background(), schema.Turn{ID: "standup-4", User: "bob", Input: "The review is on Monday.", Response: "Noted."})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(id)
	// Output: standup-4
}

// Errors say what is wrong, where, and whether to try again.
func ExampleHTTP_Publish_refused() {
	memory, err := client.NewHTTP(httpAddress)
	if err != nil {
		log.Fatal(err)
	}
	_, err = memory.Publish(context.Background(), schema.Turn{Input: "whose turn is this?"})
	var e *schema.Error
	if errors.As(err, &e) {
		fmt.Println(e.Code, e.Field, e.Retry)
	}
	// Output: invalid user false
}

// Many turns at once, one JSON object a line.
func ExampleHTTP_PublishBatch() {
	memory, err := client.NewHTTP(httpAddress, client.WithTenant("acme"))
	if err != nil {
		log.Fatal(err)
	}
	out, err := memory.PublishBatch(context.Background(), strings.NewReader(`
{"id":"b-1","user":"alice","input":"My manager is Elena."}
{"id":"b-2","input":"whose?"}
{"id":"b-3","user":"小明","input":"网关监听 9090 端口。"}
`))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(out.Accepted), "accepted")
	for _, r := range out.Rejected {
		fmt.Printf("line %d: %s %s\n", r.Line, r.Error.Field, r.Error.Message)
	}
	// Output:
	// 2 accepted
	// line 3: user must not be empty
}
