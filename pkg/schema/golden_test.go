package schema

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write the golden samples of the present version anew; never those of older ones")

// sample is a document of the contract and the value that it means.
type sample struct {
	name   string // file below testdata/v<version>
	want   any
	decode func(version int, b []byte) (any, error)
	answer bool // to a client
}

// request is what clients send: read strictly.
func request[T any](name string, want T) sample {
	return sample{name: name, want: want, decode: func(_ int, b []byte) (any, error) { return Decode[T](b) }}
}

// reply is what clients get.
func reply[T any](name string, want T) sample {
	return sample{name: name, want: want, answer: true, decode: func(_ int, b []byte) (any, error) {
		var v T
		err := json.Unmarshal(b, &v)
		return v, err
	}}
}

// stored is a body of the log or of the pipeline.
func stored[T any](op Op, want T) sample {
	return sample{name: "stored/" + string(op), want: want, decode: func(version int, b []byte) (any, error) { return DecodeStored[T](op, version, b) }}
}

func day(d, h int) time.Time { return time.Date(2026, 3, d, h, 0, 0, 0, time.UTC) }

func ptr[T any](v T) *T { return &v }

// Values that several samples hold.
var (
	sampleTurn = Turn{
		ID: "t-1", User: "小明", Agent: "helper", Conversation: "slack/c1", Speaker: "小红",
		At: time.Date(2026, 3, 1, 9, 30, 0, 0, time.FixedZone("", 8*3600)), Input: "看看 <b>网关</b> & 端口", Response: "9090。\u2028",
		ToolsUsed:     []string{"files_read", "cmd_run"},
		ToolResults:   []ToolResult{{Name: "files_read", Output: "{\"content\":\"port: 9090\"}", CallID: "c-7"}, {Name: "cmd_run", Output: "\x1b[1mx\x00", Status: ToolError}},
		ContextWindow: 128000, Metadata: map[string]any{"team": "支付", "run": 7.5, "night": true},
	}
	sampleSource = Source{Event: "t-1", UUID: "0f8c2b1e-7f7d-5c43-9d6e-0b6b6f7f2a11", Seg: "input", Class: ClassUser, Seq: 42}
	sampleMemory = Memory{
		ID: "6b1f9a52-02a9-5b8e-8f10-6f2b1c9d3e44", User: "小明", Type: TypeFact, Kind: KindProject, Content: "网关监听 9090 端口。",
		Subject: "网关", Predicate: "listens_on", Object: "9090", Negated: true, Replaces: "8080", Slot: "s-1c0e6f54-5a63-5a4f-9a3c-8c1d7a1f0b22", Group: "g-2d7f0a65-6b74-5b50-8b4d-9d2e8b201c33",
		Importance: .5, Confidence: .9, Explicit: true, Pinned: true, Tier: TierMid, Status: StatusSuperseded, Lang: "zh", Conversation: "slack/c1",
		ContentHash: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", ObservedAt: day(1, 1), ValidFrom: day(1, 0), ValidTo: day(9, 0), ExpiresAt: day(31, 0),
		SupersededBy: "7c2fab63-13ba-5c9f-9f21-7f3c2dae4f55", Source: sampleSource, Edits: "5a0e8941-f198-4a7d-9e0f-5e1a0b8c2d33", Rule: "zh.port",
	}
	sampleTriple = Triple{
		ID: "8d30bc74-24cb-5da0-8032-80403ebf5066", Subject: "网关", Predicate: "listens_on", Object: "9090", Negated: true, Confidence: .8,
		ValidFrom: day(1, 0), ValidTo: day(9, 0), Sentence: "网关监听 9090 端口。", Rule: "zh.port",
		Source: Source{Event: "t-1", UUID: sampleSource.UUID, Seg: "tool.0", Tool: "files_read", Class: ClassTool, Seq: 42},
	}
	sampleItem = Item{
		ID: sampleMemory.ID, Type: TypeConstraint, Kind: KindUser, Content: "不要香菜。", Score: .83, Status: StatusActive, Importance: .9, Confidence: 1,
		Pinned: true, Explicit: true, Conversation: "slack/c1", ObservedAt: day(1, 1), ValidFrom: day(1, 0), ValidTo: day(9, 0), ExpiresAt: day(31, 0), Source: sampleSource, Rule: RuleOutright + "pin", SupersededBy: sampleMemory.SupersededBy,
		Explain: &Explain{Parts: map[string]float64{"importance": .31, "relevance": .52}, Arms: map[string]Arm{"terms": {Rank: 1, Score: 7.2, Z: 2.1}}, Notes: []string{"same conversation"}},
	}
	sampleDef = ToolDef{
		Name: "files_read", Plugin: "files", Description: "reads a file", Parameters: map[string]any{"type": "object"}, NoMemory: true,
		Cleaner: []string{"json:content", "truncate:4000"}, Ingest: ptr(false), Why: "signal with noise around it",
	}
	sampleSegment = Segment{Key: "tool.0", Kind: SegTool, Tool: "files_read", Class: ClassTool, Text: "[source: files_read] port: 9090", Lang: "en"}
	sampleCleaned = Cleaned{
		Agent: "helper", Conversation: "slack/c1", Speaker: "小红", Metadata: map[string]any{"team": "支付", "run": 7.5, "night": true},
		Segments: []Segment{{Key: "input", Kind: SegInput, Class: ClassUser, Text: "看看网关端口"}, {Key: "response", Kind: SegResponse, Class: ClassAssistant, Text: "9090。"}, sampleSegment},
	}
	sampleWrite    = MemoryWrite{ID: "m-1", User: "小明", Type: TypePreference, Content: "先说结论", Importance: ptr(.7), Confidence: ptr(1.0), Pinned: ptr(false), ExpiresAt: day(31, 0)}
	samplePin      = Pin{ID: "p-1", User: "小明", Content: "不要香菜", Type: TypePreference, ExpiresAt: day(31, 0)}
	samplePolicy   = ToolPolicy{Name: "cmd_run", NoMemory: ptr(false), Cleaner: &[]string{"ansi"}, Ingest: ptr(true)}
	sampleSettings = Settings{Enabled: ptr(true), Types: map[Type]bool{TypeTodoHint: false}}
	sampleForget   = Forget{User: "小明", IDs: []string{"t-1", sampleMemory.ID}}
)

var sampleLetter = DeadLetter{
	ID: "vectorize-00ffs42", Stage: "vectorize", Event: "t-1", Seq: 42, Generation: 1, Code: CodeInvalid, Reason: "r", Count: 3, At: day(1, 0), Original: []byte("{}"),
}

var sampleJob = Job{
	ID: "replay-2", Kind: JobReplay, State: JobRunning, Done: 41, Total: 42, Rate: 400.5, ETA: ptr(.1), Error: &WireError{Code: CodeUnavailable, Message: "gone"},
	Replay: &ReplayState{
		Generation: 2, Active: true, From: 1, To: 42, Target: 42, Floor: 41, Policy: "recorded", Model: "m", Switch: true, Replaced: 1, Created: day(1, 0), Filled: day(2, 0),
		Tenant: "acme", CopyOf: 1, Copying: true,
		Report: &ReplayReport{
			With: 1, UpTo: 41, Collections: []ReplayCount{{Name: "events", Before: 42, Now: 41}}, Dead: ReplayCount{Name: "dead", Before: 1, Now: 2},
			Asked: 20, Same: 19, Overlap: .99, Withheld: "w",
		},
	},
	Audit: &Audit{
		Generation: 2, UpTo: 42, Ledger: Ledger{Accepted: 1, Indexed: 1}, Dropped: map[string]uint64{"no_memory": 1}, Faults: 1, Kinds: map[AuditKind]uint64{AuditGhost: 1}, Repaired: 1,
		Found: []AuditFault{{Kind: AuditGhost, Collection: Passages, Point: "p", Event: "t-1", Seq: 42}},
	},
	Forget:  &ForgetState{Seq: 43, Matched: 3, Partial: true},
	Archive: &ArchiveState{Seq: 44, Matched: 2, Left: 1},
	Erasure: &ErasureReport{
		ID: "e-1", Mark: 42, Entries: 17, Points: 51, Unread: 1, Compacted: true,
		Check: &ErasureCheck{Strings: 9, Files: 40, Bytes: 1 << 20, Hits: 1, Found: []ErasureHit{{File: "nats/1.blk", Form: "base64", String: 3}}},
	},
	Snapshot: &Snapshot{Generation: 2, Hash: "00ff", Seq: 42, Settled: true, Collections: []CollectionHash{{Name: Events, Points: 42, Hash: "ff00"}}},
}

// samples are the documents of the present version. A change of a stored type that breaks older ones bumps Version;
// then testdata/v<old> stays as it is, and the rows of older say what its documents mean now.
var samples = []sample{
	request("turn", sampleTurn),
	request("turn_tool_result", Turn{User: "u", Conversation: "c", ToolResults: []ToolResult{{Name: "ocr", Output: "", Status: ToolAborted}}}),
	request("tool_policy", samplePolicy),
	request("settings", sampleSettings),
	request("memory_write", sampleWrite),
	request("memory_write_delete", MemoryWrite{ID: "m-1", User: "u", Type: TypeFact, Delete: true}),
	request("memory_patch", MemoryPatch{ID: "w-1", User: "小明", Type: TypeTodoHint, Content: "先说结论", Importance: ptr(.7), Confidence: ptr(1.0), Pinned: ptr(false), ExpiresAt: day(31, 0)}),
	request("memory_patch_pinned", MemoryPatch{Pinned: ptr(true)}),
	request("pin", samplePin),
	request("pin_delete", Pin{ID: "p-1", User: "u", Delete: true}),
	request("forget", sampleForget),
	request("forget_before", Forget{User: "u", Before: day(2, 0), DryRun: true}),
	request("forget_match", Forget{User: "u", Match: "车牌"}),
	request("forget_conversation", Forget{User: "u", Conversation: "slack/c1"}),
	request("forget_all", Forget{User: "u", All: true}),
	request("erase_request", EraseRequest{User: "小明", Verify: true}),
	request("archive", Archive{User: "小明", IDs: []string{"t-1", "t-2"}, DryRun: true}),
	request("query", Query{
		User: "小明", Query: "端口？", Conversation: "slack/c1", Turn: "17", Limit: 5, TokenBudget: 900, Render: "flat", Lang: "zh", Mode: "legacy",
		Types: []Type{TypeFact, TypeEpisode}, Filter: &QueryFilter{Metadata: map[string]any{"team": "支付"}, From: day(1, 0), To: day(9, 0), Tool: "files_read"},
		Dedupe: "conversation", MinSeq: 42, Now: day(20, 0), AsOf: day(10, 0), IncludeHistory: true, Explain: true,
	}),
	request("query_minimal", Query{User: "u"}),
	request("replay_request", ReplayRequest{From: "start", To: "2026-03-01T08:00:00Z", Policy: "current", Tenant: "acme", Switch: true}),
	request("switch_request", SwitchRequest{Generation: 2, Force: true}),
	request("snapshot_request", SnapshotRequest{Generation: 2}),
	request("audit_request", AuditRequest{Repair: true, Kinds: []AuditKind{AuditGhost}}),
	reply("dead_letter", sampleLetter),
	reply("dead_letter_list", DeadLetterList{Items: []DeadLetter{sampleLetter}, Cursor: "17"}),
	reply("dead_reply", DeadReply{ID: sampleLetter.ID, State: DeadAgain, Reason: "r"}),
	reply("job", sampleJob),
	reply("job_started", JobStarted{Job: "replay-2"}),
	reply("replay_list", ReplayList{Active: 1, Jobs: []Job{sampleJob}}),
	reply("tool_def", sampleDef),
	reply("memory", sampleMemory),
	reply("triple", sampleTriple),
	reply("reply", Reply{Block: "<memory_context>\n…\n</memory_context>", Items: []Item{sampleItem}, Degraded: []string{"vectors"}, Hint: "h", Stale: true, TookMS: 3.4}),
	reply("reply_empty", Reply{Items: []Item{}, Degraded: []string{}, Hint: "Nothing is recorded about this, which does not mean that it is not so."}),
	reply("memory_page", MemoryPage{Items: []Item{sampleItem}, Cursor: "abc"}),
	reply("memory_view", MemoryView{Memory: sampleMemory, History: []Memory{sampleMemory}, Events: []Source{sampleSource}, Considered: []Considered{{ID: "m-2", Content: "I live in Leeds.", Status: StatusSuperseded, ObservedAt: day(1, 0), Source: sampleSource, Verdict: VerdictSuperseded}}}),
	reply("pin_list", PinList{Pins: []Item{sampleItem}}),
	reply("written", Written{ID: sampleMemory.ID, Event: "w-1", Seq: 43, Duplicate: true, Forgotten: true, Indexed: ptr(true)}),
	reply("accepted", Accepted{ID: "t-1", Seq: 42, Duplicate: true, Forgotten: true, Indexed: ptr(false)}),
	reply("batch_reply", BatchReply{Accepted: []Accepted{{ID: "t-1", Seq: 42}}, Rejected: []Rejected{{Line: 2, Error: WireError{Code: CodeInvalid, Message: "must not be empty", Field: "user"}}}, Indexed: ptr(true)}),
	reply("error_reply", ErrorReply{Error: WireError{Code: CodeOverloaded, Message: "too much at once"}, Request: "r-1"}),
	reply("forget_reply", ForgetReply{Job: "j-1", Matched: 3, Partial: true, Events: []string{"t-1"}, Memories: []string{sampleMemory.ID, "m-2"}}),
	reply("archive_reply", ArchiveReply{Job: "j-2", Matched: 2, Events: []string{"t-1", "t-2"}}),
	reply("log_state", LogState{
		Created: day(1, 1), First: 1, Last: 41, Witnessed: 42, Checked: 12, Held: true,
		Faults: []LogFault{{Kind: LogShortened, From: 42, To: 42, Detail: "it ends at 41, and went on to 42"}},
	}),
	reply("status_reply", StatusReply{
		Idle: true, Floor: 41, LastSeq: 42, Stages: []StageStatus{{Name: "clean", Pending: 1, AckPending: 2, Redelivered: 1, OldestMS: 12, Workers: 3, PausedMS: 900}},
		Ledger:    Ledger{Accepted: 21, Indexed: 6, Duplicate: 5, Dropped: 4, Dead: 3, Forgotten: 2, Pending: 1},
		Reasons:   LedgerReasons{Dropped: map[string]uint64{"no_memory": 4}, Dead: map[string]uint64{"vectorize": 3}, Conflict: 2},
		LogFaults: []LogFault{{Kind: LogMissing, From: 7, To: 9, Detail: "no erasure names it"}},
	}),
	reply("event_status", EventStatus{
		ID: "t-1", UUID: sampleSource.UUID, User: "小明", Seq: 42, State: "indexed", Archived: true, Stages: map[string]bool{"clean": true, "decide": false}, Segments: []string{"input", "tool.0"},
		Dropped: []Dropped{{Segment: "tool.1", Tool: "cmd_run", Reason: "no_memory"}}, Faults: []Fault{{Segment: "tool.0", Cleaner: "json:content", Reason: "not JSON"}},
		Model: &ModelStatus{Outcome: ModelRead, Model: "qwen3:8b", Facts: 1, Refused: 2},
		Computed: &Computed{
			Segments: []Segment{{Key: "archive", Kind: SegArchive, Tools: []string{"files_read"}, Class: ClassTool, Text: "[source: files_read] port", Lang: "en"}}, Keywords: []string{"网关"}, Tags: []string{"ops"}, Entities: []Entity{{Text: "网关", Type: "product"}}, Summary: "s",
			Triples: []Triple{sampleTriple}, Facts: []Memory{sampleMemory},
		},
	}),

	stored(OpTurn, sampleTurn),
	stored(OpTool, samplePolicy),
	stored(OpSetting, sampleSettings),
	stored(OpForget, sampleForget),
	stored(OpErase, Erasure{ID: "e-1", Sequences: []SequenceRange{{3, 17}, {19, 19}}}),
	stored(OpErase+"_mark", Erasure{ID: "e-1", Whose: "c8e2b4"}),
	stored(OpArchive, Archive{User: "小明", IDs: []string{"t-1"}}),
	stored(OpMemory, sampleWrite),
	stored(OpPin, samplePin),
	stored(OpCleaned, sampleCleaned),
	stored(OpFact, Candidates{Facts: []Memory{sampleMemory}, Forget: []string{"储物间"}}),
}

// older holds, by version, what the samples of versions before the present one mean. Wire samples of an older
// version need no row where clients have to send the present one.
var older = map[int][]sample{}

func TestGoldenSamplesOfAllVersionsDecode(t *testing.T) {
	local := time.Local
	time.Local = time.UTC // or a parsed zone that happens to be the machine's has another name
	t.Cleanup(func() { time.Local = local })
	for v := 1; v <= Version; v++ {
		rows := samples
		if v < Version {
			rows = older[v]
		}
		var names []string
		for _, s := range rows {
			names = append(names, s.name)
			t.Run(fmt.Sprintf("v%d/%s", v, s.name), func(t *testing.T) { checkSample(t, v, s) })
		}
		for _, op := range []Op{OpTurn, OpTool, OpSetting, OpForget, OpErase, OpArchive, OpMemory, OpPin, OpCleaned, OpFact} {
			if !slices.Contains(names, "stored/"+string(op)) {
				t.Errorf("version %d has no sample of a stored %s", v, op)
			}
		}
		for _, f := range sampleFiles(t, v) {
			if !slices.Contains(names, f) {
				t.Errorf("testdata/v%d/%s.json has no row that says what it means", v, f)
			}
		}
	}
}

func checkSample(t *testing.T, version int, s sample) {
	t.Helper()
	path := samplePath(version, s.name)
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(s.want); err != nil {
		t.Fatal(err)
	}
	if *update && version == Version {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.decode(version, b)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, s.want) {
		t.Errorf("decoded %+v\nwant    %+v", got, s.want)
	}
	if version == Version && !bytes.Equal(b, out.Bytes()) {
		t.Errorf("the value encodes as\n%s\nthe sample is\n%s", out.Bytes(), b)
	}
}

func samplePath(version int, name string) string {
	return filepath.Join("testdata", fmt.Sprintf("v%d", version), filepath.FromSlash(name)+".json")
}

// sampleFiles lists what lies in the folder of a version, which must be there.
func sampleFiles(t *testing.T, version int) []string {
	t.Helper()
	root := filepath.Dir(samplePath(version, "x"))
	var names []string
	err := filepath.WalkDir(root, func(p string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(root, p)
			names = append(names, strings.TrimSuffix(filepath.ToSlash(rel), ".json"))
		}
		return err
	})
	if err != nil || len(names) == 0 {
		t.Fatalf("samples of version %d: %d files, %v", version, len(names), err)
	}
	return names
}

// Every field that a sample could hold is in one, so that a renamed or mistyped tag shows.
func TestGoldenSamplesSetEveryField(t *testing.T) {
	set := map[string]bool{}
	all := map[string]bool{}
	for _, s := range samples {
		markFields(reflect.ValueOf(s.want), set, all)
	}
	for f := range all {
		if !set[f] {
			t.Errorf("no sample sets %s", f)
		}
	}
	if len(all) < 150 {
		t.Errorf("only %d fields seen", len(all))
	}
}

func markFields(v reflect.Value, set, all map[string]bool) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			markFields(v.Elem(), set, all)
		}
	case reflect.Slice:
		for i := range v.Len() {
			markFields(v.Index(i), set, all)
		}
	case reflect.Map:
		for _, k := range v.MapKeys() {
			markFields(v.MapIndex(k), set, all)
		}
	case reflect.Struct:
		if v.Type() == timeType {
			return
		}
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if f.Tag.Get("json") == "-" {
				continue
			}
			name := v.Type().Name() + "." + f.Name
			all[name] = true
			set[name] = set[name] || !v.Field(i).IsZero()
			markFields(v.Field(i), set, all)
		}
	}
}

// A body of an older version is today's value after the step that leads from there, made up here: one that called the
// input text. A newer one than this build's is refused.
func TestStoredBodiesOfOlderVersionsAreUpgraded(t *testing.T) {
	steps := []func(Op, []byte) ([]byte, error){nil, func(op Op, b []byte) ([]byte, error) {
		var m map[string]json.RawMessage
		if err := json.Unmarshal(b, &m); err != nil || op != OpTurn {
			return b, err
		}
		m["input"] = m["text"]
		delete(m, "text")
		return json.Marshal(m)
	}}
	for version, body := range map[int]string{
		1: `{"id":"t-1","user":"小明","text":"看看 <b>网关</b>","response":"9090。","dropped_field":1}`,
		2: `{"id":"t-1","user":"小明","input":"看看 <b>网关</b>","response":"9090。","later_field":1}`,
	} {
		got, err := decodeStored[Turn](OpTurn, version, []byte(body), steps)
		if want := (Turn{ID: "t-1", User: "小明", Input: "看看 <b>网关</b>", Response: "9090。"}); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("version %d: %+v, %v, want %+v", version, got, err, want)
		}
	}
	if pin, err := decodeStored[Pin](OpPin, 1, []byte(`{"id":"p","content":"c"}`), steps); err != nil || pin.Content != "c" {
		t.Errorf("an op that the step leaves alone: %+v, %v", pin, err)
	}
	if _, err := decodeStored[Turn](OpTurn, 1, []byte("no JSON"), steps); CodeOf(err) != CodeInvalid || !IsPermanent(err) {
		t.Errorf("what the step cannot read: %v", err)
	}
	for _, version := range []int{0, 3} {
		if _, err := decodeStored[Turn](OpTurn, version, []byte("{}"), steps); CodeOf(err) != CodeUnsupported || !IsPermanent(err) {
			t.Errorf("version %d: %v", version, err)
		}
	}
}

// The mechanism by which an older body becomes one of today, shown on two made-up steps.
func TestUpgradeTakesOneStepAtATime(t *testing.T) {
	steps := []func(Op, []byte) ([]byte, error){
		nil,
		func(op Op, b []byte) ([]byte, error) { return append(b, "+"+string(op)...), nil },
		func(_ Op, b []byte) ([]byte, error) {
			if bytes.Contains(b, []byte("bad")) {
				return nil, fmt.Errorf("no such field")
			}
			return append(b, "+2"...), nil
		},
	}
	for version, want := range map[int]string{1: "x+pin+2", 2: "x+2", 3: "x"} {
		if got, err := upgrade(OpPin, version, []byte("x"), steps); err != nil || string(got) != want {
			t.Errorf("from version %d: %q, %v, want %q", version, got, err, want)
		}
	}
	if _, err := upgrade(OpPin, 1, []byte("bad"), steps); !IsPermanent(err) || !strings.Contains(err.Error(), "version 2") {
		t.Errorf("a step that fails: %v", err)
	}
	if _, err := DecodeStored[Pin](OpPin, 0, []byte("{}")); CodeOf(err) != CodeUnsupported {
		t.Errorf("version 0: %v", err)
	}
}
