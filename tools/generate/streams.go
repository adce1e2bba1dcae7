package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
	"time"

	"github.com/siltstone-ai/siltstone/pkg/events"
)

// streams adds the layouts that deploy/nats ships.
func streams(out map[string][]byte) error {
	for path, t := range map[string]events.Topology{
		"deploy/nats/streams.json":         events.DefaultTopology(),
		"deploy/nats/streams.cluster.json": events.ClusterTopology(),
	} {
		b, err := t.Layout(1).JSON()
		if err != nil {
			return fmt.Errorf("lay out %s: %w", path, err)
		}
		out[path] = b
	}
	return nil
}

const referenceHead = `# Subjects, streams and durables

Made by ` + "`make generate`" + ` from ` + "`pkg/events`" + `; a test fails where it differs. Values are those of one server with everything
embedded; ` + "`deploy/nats/streams.cluster.json`" + ` has those of a cluster.

In a subject ` + "`<tenant>`" + ` is the tenant's token: a–y and digits stand for themselves, every other byte is z and two hex
digits. ` + "`<shard>`" + ` is the first byte of SHA-256(tenant, 0, user) as 000–255, and 000 where there is no user. ` + "`<gen>`" + ` is the
number of a generation; below it is 1.
`

// reference adds docs/events.md.
func reference(out map[string][]byte) error {
	var b bytes.Buffer
	b.WriteString(referenceHead)
	l := events.DefaultTopology().Layout(1)

	b.WriteString("\n## Streams\n\n| stream | what is in it | subjects | kept | on | bound |\n| --- | --- | --- | --- | --- | --- |\n")
	for _, s := range l.Streams {
		keep := strings.ToLower(s.Retention.String())
		if s.MaxAge > 0 {
			keep += ", " + span(s.MaxAge)
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s |\n", s.Name, s.Description, code(s.Subjects...), keep, strings.ToLower(s.Storage.String()), size(s.MaxBytes))
	}

	b.WriteString("\n## Durables\n\nA durable of the log or of a work stream ends in the generation. All acknowledge explicitly, have no server-side\nback-off and no bound on deliveries: the runner counts, and moves what no retry mends to the dead letters.\n\n")
	b.WriteString("| durable | reads | filter | silence before redelivery | out at once |\n| --- | --- | --- | --- | --- |\n")
	for _, c := range l.Consumers {
		fmt.Fprintf(&b, "| `%s` | `%s` | %s | %s | %d |\n", c.Config.Durable, c.Stream, code(c.Filters()...), span(c.Config.AckWait), c.Config.MaxAckPending)
	}

	b.WriteString("\n## Subjects\n\n| subject | who publishes | what |\n| --- | --- | --- |\n")
	for _, r := range [][3]string{
		{events.SubjectsIn, "agents", "a turn as JSON; the answer is the stream's acknowledgement"},
		{events.SubjectIngest, "agents", service("[Turn](../pkg/schema/jsonschema/turn.json), or one a line → [Accepted](../pkg/schema/jsonschema/accepted.json), or [BatchReply](../pkg/schema/jsonschema/batch_reply.json)")},
		{events.SubjectQuery, "agents", service("[Query](../pkg/schema/jsonschema/query.json) → [Reply](../pkg/schema/jsonschema/reply.json)")},
		{events.SubjectForget, "agents", service("[Forget](../pkg/schema/jsonschema/forget.json) → [ForgetReply](../pkg/schema/jsonschema/forget_reply.json)")},
		{events.SubjectArchive, "agents", service("[Archive](../pkg/schema/jsonschema/archive.json) → [ArchiveReply](../pkg/schema/jsonschema/archive_reply.json)")},
		{events.SubjectStatus, "agents", service("nothing → [StatusReply](../pkg/schema/jsonschema/status_reply.json)")},
		{events.SubjectsLog, "intake", "`silt.log.<tenant>.<shard>.<op>`: the truth"},
		{events.WorkFilter(1, "*"), "clean, distill", "`silt.work.<gen>.<op>.<tenant>.<shard>`: what is still to do"},
		{events.SubjectsDLQ, "the runner", "`silt.dlq.<stage>.<tenant>.<message>`: what no retry mends"},
	} {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", r[0], r[1], r[2])
	}

	b.WriteString("\n## Headers\n\nOf a message in the log and in work streams; each stands once. The body is what the client sent, or what a stage derived.\n\n| header | what |\n| --- | --- |\n")
	hs, err := headers()
	if err != nil {
		return err
	}
	for _, h := range hs {
		fmt.Fprintf(&b, "| `%s` | %s |\n", h[0], h[1])
	}
	fmt.Fprintf(&b, "\nA body over %s in the log, or %s in a work stream, lies in the object store `%s`.\n", size(events.MaxRawInLog), size(events.MaxInWork), events.StoreBlobs)
	out["docs/events.md"] = b.Bytes()
	return nil
}

// service describes what a service takes and answers.
func service(what string) string {
	return "a service ([nats.md](nats.md)): " + what + "; the tenant in the header `" + events.HeaderTenant + "`"
}

// headers are the header constants of the envelope with the comment behind each.
func headers() ([][2]string, error) {
	f, err := parser.ParseFile(token.NewFileSet(), "pkg/events/envelope.go", nil, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	var out [][2]string
	for _, v := range constSpecs(f) {
		if !strings.HasPrefix(v.Names[0].Name, "Header") {
			continue
		}
		name, err := strconv.Unquote(v.Values[0].(*ast.BasicLit).Value)
		if err != nil {
			return nil, err
		}
		what := strings.TrimSpace(v.Comment.Text())
		if what == "" {
			what = meanings[name]
		}
		if what == "" {
			return nil, fmt.Errorf("header %s has neither a comment nor a meaning here", name)
		}
		out = append(out, [2]string{name, what})
	}
	return out, nil
}

// meanings are those of headers whose name says it in the code.
var meanings = map[string]string{
	events.HeaderVersion:  "schema version of the body",
	events.HeaderUUID:     "inside id of the source event: UUIDv5 of tenant, 0, id",
	events.HeaderID:       "the client's id",
	events.HeaderOp:       "what the body is: turn, memory, pin, forget, tool, setting, erase; cleaned, fact",
	events.HeaderTenant:   "whose it is",
	events.HeaderAccepted: "when intake accepted it: the only clock that a stage may read",
	events.HeaderClass:    "least trusted class of the inputs",
	events.HeaderHash:     "hex SHA-256 of the body as published",
}

func code(ss ...string) string { return "`" + strings.Join(ss, "`, `") + "`" }

func size(n int64) string {
	switch {
	case n < 0:
		return "the store's"
	case n%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d KiB", n>>10)
}

func span(d time.Duration) string {
	if d%time.Hour == 0 {
		return fmt.Sprintf("%d h", d/time.Hour)
	}
	return fmt.Sprintf("%g s", d.Seconds())
}
