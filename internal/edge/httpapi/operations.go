package httpapi

import (
	"net/http"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// operation describes a route: what the server checks before the handler, and what the OpenAPI document says. The
// document is made from nothing else.
type operation struct {
	id      string // of the document
	summary string
	text    string // more about it, in Markdown; "" where the summary says all
	params  []param
	takes   string // JSON Schema of the body by its name in pkg/schema/jsonschema; "" for no body
	streams bool   // reads its body and takes its slots itself
	reads   bool   // changes nothing, whatever its method
	status  int    // of success; 0 means 200
	gives   string // JSON Schema of the reply; "" for none of ours
	list    string // the reply is an object whose only field, of this name, is a list of gives
	media   string // of the reply; "" means JSON
	unwell  bool   // 503 is an answer of its own, and no error
	can     []schema.Code
	example example
}

// param is one parameter of the query string.
type param struct {
	name, what string
	needed     bool
	schema     map[string]any
}

// example is a request and an answer to it. Examples are tried against a running server, in the order of the table, what takes away last.
type example struct {
	path  string // path and query as sent; "" means the route's own path. {memory} and {pin} are the ids that the examples before were answered with
	many  string // an NDJSON body, for routes that take both
	body  string
	reply string // of JSON replies
}

// limit is how long a body may be.
func (op operation) limit(c *Config) int {
	if op.takes == "turn" {
		return c.MaxTurn
	}
	return maxRequest
}

func text(more ...any) map[string]any {
	m := map[string]any{"type": "string"}
	for i := 0; i+1 < len(more); i += 2 {
		m[more[i].(string)] = more[i+1]
	}
	return m
}

var (
	idSchema  = text("minLength", 1, "maxLength", schema.MaxID)
	userParam = param{"user", "Whose memory.", true, idSchema}
	waitParam = param{"wait", "`indexed`: answer once what was accepted can be found, after 30 s at most; `indexed` in the reply says whether it can.", false, text("enum", []string{"indexed"})}
)

// Examples hold a turn "coffee-1", from which the others follow.
const (
	exampleTurn    = `{"id":"coffee-1","user":"lena","conversation":"c-7","at":"2026-03-01T09:00:00Z","input":"Please remember: I never drink coffee after 3 pm.","response":"Noted: no coffee after 3 pm."}`
	exampleMany    = `{"id":"lunch-1","user":"lena","input":"我对花生过敏。","response":"记住了。"}` + "\n" + `{"user":"lena"}` + "\n"
	exampleItem    = `{"id":"6a4d1c1e-3a0b-5c55-9d8e-0f6b8a1c2d3e","type":"constraint","kind":"user","content":"I never drink coffee after 3 pm.","score":0.93,"status":"active","importance":0.8,"confidence":0.9,"explicit":true,"conversation":"c-7","observed_at":"2026-03-01T09:00:00Z","source":{"event":"coffee-1","class":"user","seq":1}}`
	exampleTool    = `{"name":"cmd_run","no_memory":true,"why":"output of a shell says what was, not what holds"}`
	exampleWritten = `{"id":"6b1f9a52-02a9-5b8e-8f10-6f2b1c9d3e44","event":"w-1","seq":3,"indexed":true}`
	exampleReplay  = `{"id":"replay-2","kind":"replay","state":"running","done":1200,"total":3000,"rate":400,"eta_s":4.5,"replay":{"generation":2,"active":false,"from":1,"target":3000,"floor":1200,"policy":"recorded","model":"hash-384-2","created":"2026-03-02T10:00:00Z"}}`
	exampleLetter  = `{"id":"vectorize-0b8c6a5754a15f0e8a3c3f1d3a0b9d52s17","stage":"vectorize","event":"coffee-1","seq":17,"generation":1,"code":"invalid","reason":"invalid: the embedder refuses the text","count":10,"at":"2026-03-01T09:00:00Z"}`
	exampleLog     = `{"created":"2026-03-01T08:00:00Z","first":1,"last":5,"witnessed":5,"checked":5,"held":false,"faults":[]}`
	exampleStage   = `{"name":"clean","pending":0,"ack_pending":0,"redelivered":0,"oldest_ms":0,"workers":1}`
)

// operations describes every route of the table, by its name.
var operations = map[string]operation{
	"GET /healthz": {id: "health", summary: "Says that the process runs.", gives: "health", example: example{reply: `{"status":"ok"}`}},
	"GET /readyz": {
		id: "ready", summary: "Says whether everything that the server needs answers.", text: "503 names what does not.", gives: "health", unwell: true,
		example: example{reply: `{"status":"ready"}`},
	},
	"GET /openapi.json": {id: "openapi", summary: "This document, of the routes that this process serves."},
	"GET /metrics":      {id: "metrics", summary: "Metrics in the text format of Prometheus.", media: "text/plain"},

	"POST /v1/events": {
		id: "publish", summary: "Accepts one turn, or many as NDJSON.",
		text: "The answer comes once the log has the turn. The bytes are kept as they came. A turn without an id gets one, and sent again it is another " +
			"event: give ids to be able to repeat. The same id with the same body gives the first answer again, with another body it is a conflict.\n\n" +
			"NDJSON is one turn a line, read while it comes. A bad line touches no other: it is in `rejected`, by its number from 1. Where a batch could not be taken to " +
			"its end, the last entry of `rejected` has the error, and stands for its line and all behind it. Faults of a batch before its first line was read are answered as those of a turn.",
		params: []param{waitParam},
		takes:  "turn", streams: true, status: http.StatusAccepted, gives: "accepted", can: []schema.Code{schema.CodeConflict},
		example: example{path: "/v1/events?wait=indexed", body: exampleTurn, many: exampleMany, reply: `{"id":"coffee-1","seq":1,"indexed":true}`},
	},
	"GET /v1/events/{id}": {
		id: "event", summary: "The event, byte for byte as it was published.", gives: "turn",
		text: "Secrets are in it as they came: hence a scope of its own.", can: []schema.Code{schema.CodeNotFound, schema.CodeCorrupt},
		example: example{path: "/v1/events/coffee-1", reply: exampleTurn},
	},
	"GET /v1/events/{id}/status": {
		id: "eventStatus", summary: "What became of an event, stage by stage.", gives: "event_status", can: []schema.Code{schema.CodeNotFound},
		params:  []param{{"computed", "`true`: with what was derived from it.", false, text("enum", []string{"true", "false"})}},
		example: example{path: "/v1/events/coffee-1/status?computed=false", reply: `{"id":"coffee-1","uuid":"0b8c6a57-54a1-5f0e-8a3c-3f1d3a0b9d52","seq":1,"state":"indexed","stages":{"clean":true,"vectorize":true,"extract":true,"distill":true},"segments":["input","response"]}`},
	},
	"POST /v1/query": {
		id: "query", summary: "Asks a user's memory.", takes: "query", gives: "reply", reads: true,
		text: "`block` is to be put just before the latest user message. `degraded` names what failed on the way: the reply holds the rest. " +
			"With `min_seq` it waits until the log is settled to there, and says `stale` where that took too long.",
		example: example{
			body:  `{"user":"lena","query":"May I offer her an espresso at four?","limit":5,"min_seq":1}`,
			reply: `{"block":"What is known …","items":[` + exampleItem + `],"degraded":[],"took_ms":3.1}`,
		},
	},
	"GET /v1/memories": {
		id: "memories", summary: "Lists a user's memories, newest first.", gives: "memory_page",
		text: "The page after is asked for with the page's `cursor`, and the same parameters; the last page has none. New memories move no page.",
		params: []param{
			userParam,
			{"status", "`active` where absent; `all` has what was superseded and duplicates, too.", false, text("enum", []string{"active", "superseded", "all"}, "default", "active")},
			{"type", "Only this type.", false, text("enum", []schema.Type{schema.TypeConstraint, schema.TypePreference, schema.TypeTodoHint, schema.TypeFact, schema.TypeEpisode})},
			{"kind", "Only this kind.", false, text("enum", []schema.Kind{schema.KindUser, schema.KindFeedback, schema.KindProject, schema.KindReference})},
			{"q", "Only those whose content holds this, whatever the case and the width of its letters.", false, text("maxLength", schema.MaxMatch)},
			{"cursor", "From the page before.", false, text()},
			{"limit", "How many a page holds at most.", false, map[string]any{"type": "integer", "minimum": 1, "maximum": schema.MaxPage, "default": 100}},
		},
		example: example{path: "/v1/memories?user=lena&type=constraint&limit=20", reply: `{"items":[` + exampleItem + `]}`},
	},
	"POST /v1/memories": {
		id: "remember", summary: "States a memory outright.", takes: "memory_write", status: http.StatusAccepted, gives: "written", params: []param{waitParam},
		text:    "`id` of the body names the write itself: the same write again is a duplicate. The reply's `id` names the memory.",
		can:     []schema.Code{schema.CodeConflict, schema.CodeNotFound},
		example: example{path: "/v1/memories?wait=indexed", body: `{"user":"lena","type":"preference","content":"Prefers tea.","importance":0.7}`, reply: exampleWritten},
	},
	"GET /v1/memories/{id}": {
		id: "memory", summary: "A memory with its history and the events that it comes from.", params: []param{userParam}, gives: "memory_view", can: []schema.Code{schema.CodeNotFound},
		example: example{path: "/v1/memories/{memory}?user=lena"},
	},
	"PATCH /v1/memories/{id}": {
		id: "editMemory", summary: "Changes what a memory says or weighs.", takes: "memory_patch", status: http.StatusAccepted, gives: "written",
		params:  []param{{"user", "Whose memory, where the body does not say it.", false, idSchema}, waitParam},
		text:    "Another content, a later truth, supersedes the old one, which stays in the history.",
		can:     []schema.Code{schema.CodeConflict, schema.CodeSuperseded, schema.CodeNotFound},
		example: example{path: "/v1/memories/{memory}?user=lena&wait=indexed", body: `{"importance":0.9}`, reply: exampleWritten},
	},
	"DELETE /v1/memories/{id}": {
		id: "deleteMemory", summary: "Takes a memory back.", status: http.StatusAccepted, gives: "written", params: []param{userParam, waitParam}, can: []schema.Code{schema.CodeConflict, schema.CodeNotFound},
		text:    "It is not shown any more. What the turns said that it comes from stays in them: forgetting makes those go.",
		example: example{path: "/v1/memories/{memory}?user=lena", reply: exampleWritten},
	},
	"GET /v1/pins": {
		id: "pins", summary: "A user's pins: the memories that go into every block.", params: []param{userParam}, gives: "pin_list",
		example: example{path: "/v1/pins?user=lena", reply: `{"pins":[` + exampleItem + `]}`},
	},
	"POST /v1/pins": {
		id: "pin", summary: "Pins a memory.", takes: "pin", status: http.StatusAccepted, gives: "written", params: []param{waitParam}, can: []schema.Code{schema.CodeConflict, schema.CodeNotFound},
		example: example{path: "/v1/pins?wait=indexed", body: `{"user":"lena","content":"Answer in English.","type":"constraint"}`, reply: exampleWritten},
	},
	"DELETE /v1/pins/{id}": {
		id: "unpin", summary: "Takes a pin away.", status: http.StatusAccepted, gives: "written", params: []param{userParam, waitParam}, can: []schema.Code{schema.CodeConflict, schema.CodeSuperseded, schema.CodeNotFound},
		example: example{path: "/v1/pins/{pin}?user=lena", reply: exampleWritten},
	},
	"POST /v1/forget": {
		id: "forget", summary: "Makes turns and memories of a user go.", takes: "forget", status: http.StatusAccepted, gives: "forget_reply",
		text:    "From the answer on nothing of it is shown; it leaves the stores soon after. With `dry_run` it only counts. Counting a user who has said very much is cut short: then `partial` is true and `matched` may be low, while the request reaches everything all the same.",
		example: example{body: `{"user":"lena","conversation":"c-7","dry_run":true}`, reply: `{"matched":2}`},
	},
	"POST /v1/archive": {
		id: "archive", summary: "Prunes turns of a user: of each a document is left.", takes: "archive", status: http.StatusAccepted, gives: "archive_reply",
		can: []schema.Code{schema.CodeNotFound},
		text: "Of an archived turn the index keeps one document in place of its text: summaries of what was said, and for every tool the names, files and keywords of its output. Queries find it, with the status `archived`; " +
			"what the turn stated stays as memories of their own, and the raw turn can still be read. Every id must be a turn of the user that is in the index; those that are archived already are not counted. With `dry_run` it only says which would be archived.",
		example: example{body: `{"user":"lena","ids":["coffee-1"],"dry_run":true}`, reply: `{"matched":1,"events":["coffee-1"]}`},
	},
	"POST /v1/erase": {
		id: "erase", summary: "Makes every trace of a user go, from the log too.", takes: "erase_request", status: http.StatusAccepted, gives: "job_started",
		text: "What was accepted up to now is overwritten in the log and removed, with bodies, dead letters, work, points, settings and caches; the log keeps an entry that names the sequences which are gone, and nobody. " +
			"From the job's first step on nothing of it is shown. What is published later is new. `verify` looks for the user's id, and for words that nobody else has said, in every file of the server's data directory; the job's `erasure` has what it found.",
	},
	"GET /v1/status": {
		id: "status", summary: "How far the pipeline is for the tenant.", gives: "status_reply",
		example: example{reply: `{"idle":true,"floor":2,"last_seq":2,"stages":[` + exampleStage + `],"ledger":{"accepted":2,"indexed":2,"duplicate":0,"dropped":0,"dead":0,"forgotten":0,"pending":0}}`},
	},
	"GET /v1/tools": {
		id: "tools", summary: "The tool policies that hold.", gives: "tool_def", list: "tools",
		example: example{reply: `{"tools":[` + exampleTool + `]}`},
	},
	"PUT /v1/tools/{name}": {
		id: "setTool", summary: "Sets a tool's policy for the tenant.", takes: "tool_policy", gives: "tool_def",
		text:    "What it does not set stays as it is. `no_memory` holds for what is published from then on, and for everything when an index is made anew.",
		example: example{path: "/v1/tools/cmd_run", body: `{"no_memory":true}`, reply: exampleTool},
	},
	"GET /v1/settings": {
		id: "settings", summary: "What a user has switched.", params: []param{userParam}, gives: "settings",
		example: example{path: "/v1/settings?user=lena", reply: `{"enabled":true}`},
	},
	"PUT /v1/settings": {
		id: "setSettings", summary: "Replaces what a user has switched.", params: []param{userParam}, takes: "settings", gives: "settings",
		example: example{path: "/v1/settings?user=lena", body: `{"enabled":true,"types":{"todo_hint":false}}`, reply: `{"enabled":true,"types":{"todo_hint":false}}`},
	},
	"GET /v1/dlq": {
		id: "deadLetters", summary: "The tenant's dead letters: what a stage gave up, where and why, oldest first.", gives: "dead_letter_list",
		text: "The page after is asked for with the page's `cursor`; the last page has none.",
		params: []param{
			{"cursor", "From the page before.", false, text()},
			{"limit", "How many a page holds at most.", false, map[string]any{"type": "integer", "minimum": 1, "maximum": schema.MaxPage, "default": 100}},
		},
		example: example{path: "/v1/dlq?limit=20", reply: `{"items":[` + exampleLetter + `]}`},
	},
	"GET /v1/dlq/{id}": {
		id: "deadLetter", summary: "One dead letter.", gives: "dead_letter", can: []schema.Code{schema.CodeNotFound, schema.CodeDenied},
		text:   "`original=true` adds what was published, byte for byte, and needs the scope `raw` beside `admin`.",
		params: []param{{"original", "`true`: with what was published.", false, text("enum", []string{"true", "false"})}},
	},
	"POST /v1/dlq/{id}/retry": {
		id: "retryDeadLetter", summary: "Tries a dead letter again.", status: http.StatusAccepted, gives: "dead_reply", can: []schema.Code{schema.CodeNotFound, schema.CodeConflict},
		text: "What a stage gave up is read from the log and worked on again from its beginning, as a new attempt; what intake refused goes through intake again. " +
			"The letter goes once that is done. What is given up again is back with a higher count.",
	},
	"DELETE /v1/dlq/{id}": {
		id: "dropDeadLetter", summary: "Removes a dead letter and its body for good.", gives: "dead_reply", can: []schema.Code{schema.CodeNotFound},
		text: "Its event stays dead in the ledger, and its bytes stay in the log.",
	},
	"POST /v1/replay": {
		id: "replay", summary: "Reads the log into a new generation of the index, beside the one that is answered from.", takes: "replay_request", status: http.StatusAccepted, gives: "job_started",
		text: "What is published meanwhile reaches both. It concerns every tenant. `switch` answers from it as soon as it is filled, unless it accounts for fewer events than the one before, or gave more up. " +
			"A moment in `from` and `to` is when a turn was accepted. Only one replay runs at a time.",
		can:     []schema.Code{schema.CodeConflict},
		example: example{body: `{"from":"start","policy":"recorded"}`, reply: `{"job":"replay-2"}`},
	},
	"GET /v1/generations": {
		id: "replays", summary: "The generations that there are, and which is answered from.", gives: "replay_list",
		example: example{reply: `{"active":1,"jobs":[` + exampleReplay + `]}`},
	},
	"POST /v1/replay/switch": {
		id: "switchGeneration", summary: "Answers from another generation.", takes: "switch_request", gives: "job", reads: true,
		text:    "In every process at once, and in no query half-way. One that is not filled, holds a part of the log only or is of another model is refused without `force`.",
		can:     []schema.Code{schema.CodeConflict, schema.CodeNotFound},
		example: example{body: `{"generation":1}`, reply: exampleReplay},
	},
	"POST /v1/replay/rollback": {
		id: "rollback", summary: "Answers from the generation before again.", takes: "switch_request", gives: "job", reads: true,
		can:     []schema.Code{schema.CodeConflict, schema.CodeNotFound},
		example: example{body: `{"generation":1}`, reply: exampleReplay},
	},
	"DELETE /v1/generations/{generation}": {
		id: "prune", summary: "Removes a generation that is not answered from.", status: http.StatusAccepted, gives: "job",
		text: "Its streams, points and caches go soon after. The log stays as it is.",
		can:  []schema.Code{schema.CodeConflict, schema.CodeNotFound}, example: example{path: "/v1/generations/2"},
	},
	"POST /v1/audit": {
		id: "audit", summary: "Holds the tenant's log against the stores.", takes: "audit_request", status: http.StatusAccepted, gives: "job_started",
		text: "Every entry that was settled when it began is in exactly one place of the ledger. The job's `audit` lists points that are missing, doubled or ghosts, and entries of the log that are damaged or lost, " +
			"1,000 of them at most, of the `kinds` that are asked for. With `repair` ghosts are deleted, what is missing is fed again, and it audits once more: `repaired` is what was found before and not again.",
		example: example{body: `{"repair":false}`, reply: `{"job":"audit-6d1f0c7a5b2e4f38a9c0d1e2f3a4b5c6"}`},
	},
	"GET /v1/log": {
		id: "log", summary: "How the log stands against what was witnessed of it.", gives: "log_state",
		text: "`faults` names the ways in which the log is not what it was: shortened or swapped, which holds every start until it is decided, or with entries that are damaged or missing. " +
			"It is of all tenants.",
		example: example{reply: exampleLog},
	},
	"POST /v1/log/accept": {
		id: "acceptLog", summary: "Takes the log as it is from now on.", gives: "log_state", can: []schema.Code{schema.CodeConflict},
		text: "For after a restore, or where what is gone is gone. Where the log was held, all that was derived from the one before is derived again from this one; else the faults are " +
			"reported no more. A log that was shortened or swapped under a running process is accepted after its next start.",
		example: example{reply: exampleLog},
	},
	"POST /v1/snapshot": {
		id: "snapshot", summary: "Hashes what a generation holds.", takes: "snapshot_request", status: http.StatusAccepted, gives: "job_started",
		text: "The job's `snapshot` has a hash over the ids, payloads and vectors of all points, of every tenant: two generations with the same hash hold the same. `settled` says whether nothing was on its way.",
		can:  []schema.Code{schema.CodeNotFound}, example: example{body: `{"generation":1}`, reply: `{"job":"snapshot-6d1f0c7a5b2e4f38a9c0d1e2f3a4b5c6"}`},
	},
	"GET /v1/jobs/{id}": {
		id: "job", summary: "How far a job is.", gives: "job", can: []schema.Code{schema.CodeNotFound},
		text:    "Replays are known as long as there is their generation's number, other jobs for a week. With the scope erase alone it tells of requests to forget and to archive.",
		example: example{path: "/v1/jobs/replay-2", reply: exampleReplay},
	},
}
