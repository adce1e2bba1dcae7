package clean

import (
	"strconv"
	"strings"

	"github.com/siltstone-ai/siltstone/internal/text"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// MaxSegments is how many segments one event may have. What does not fit is told as dropped.
const MaxSegments = 256

// Reasons of [schema.Dropped].
const (
	ReasonNoMemory    = "no_memory"        // the tool's output is kept raw only
	ReasonNotIngested = "not_ingested"     // a meta tool
	ReasonAborted     = "aborted"          // the call did not end
	ReasonEmpty       = "empty"            // nothing was there, or cleaning left nothing
	ReasonQuoted      = "quoted_no_memory" // a span only quotes a no_memory output
	ReasonTooMany     = "too_many_segments"
)

// Policies answers how a tool's output is treated; ok is false for a tool without a policy, whose output gets the
// basic cleaning.
type Policies func(tool string) (def schema.ToolDef, ok bool)

// Report is what became of a turn.
type Report struct {
	Segments []schema.Segment
	Dropped  []schema.Dropped
	Faults   []schema.Fault
}

// Turn cleans a turn: input, response, then each tool result in order. t is only read.
func (c *Cleaner) Turn(t *schema.Turn, policy Policies) Report {
	r := &report{}
	outputs := make([]output, len(t.ToolResults))
	var hidden []string
	for i := range t.ToolResults {
		outputs[i] = c.decide(&t.ToolResults[i], policy)
		if outputs[i].noMemory && t.ToolResults[i].Output != "" {
			hidden = append(hidden, plain(terminal(legible(t.ToolResults[i].Output), true)))
		}
	}
	in, resp := spoken(t.Input), spoken(t.Response)
	if len(hidden) > 0 {
		in = r.withoutQuotes(string(schema.SegInput), in, outputs, t, hidden)
		resp = r.withoutQuotes(string(schema.SegResponse), resp, outputs, t, hidden)
	}
	in, resp = tidy(maskSecrets(in)), tidy(maskSecrets(resp))

	type part struct {
		key, tool, text string
		kind            schema.SegmentKind
		class           schema.Class
	}
	var parts []part
	if in != "" {
		parts = append(parts, part{key: string(schema.SegInput), kind: schema.SegInput, class: inputClass(t), text: in})
	}
	if resp != "" {
		class := schema.ClassAssistant
		if relays(resp, t, outputs) {
			class = schema.ClassTool
		}
		parts = append(parts, part{key: string(schema.SegResponse), kind: schema.SegResponse, class: class, text: resp})
	}
	for i := range t.ToolResults {
		key, tool := "tool."+strconv.Itoa(i), t.ToolResults[i].Name
		o := outputs[i]
		if o.reason != "" {
			r.drop(key, tool, o.reason)
			continue
		}
		text, fault := c.tool(t.ToolResults[i].Output, o.def.Cleaner)
		switch {
		case fault != nil:
			fault.Segment = key
			r.Faults = append(r.Faults, *fault)
		case text == "":
			r.drop(key, tool, ReasonEmpty)
		default:
			parts = append(parts, part{key: key, tool: tool, kind: schema.SegTool, class: schema.ClassTool, text: text})
		}
	}

	for i, p := range parts {
		// What is left is shared out evenly among the parts that are left: one huge output starves no other.
		share := max(1, (MaxSegments-len(r.Segments))/(len(parts)-i))
		if len(r.Segments) >= MaxSegments {
			r.drop(p.key, p.tool, ReasonTooMany)
			continue
		}
		pieces := split(p.text, maxPiece)
		keep := thin(len(pieces), share)
		if len(keep) < len(pieces) {
			r.drop(p.key, p.tool, ReasonTooMany)
		}
		for _, k := range keep {
			s := schema.Segment{Key: p.key, Kind: p.kind, Tool: p.tool, Class: p.class, Text: pieces[k], Lang: Lang(pieces[k])}
			if k > 0 {
				s.Key += "." + strconv.Itoa(k)
			}
			if p.kind == schema.SegTool {
				s.Text = SourceMark(p.tool) + s.Text
			}
			r.Segments = append(r.Segments, s)
		}
	}
	return Report(*r)
}

// SourceMark is what every segment of a tool begins with (A11).
func SourceMark(tool string) string {
	return "[source: " + strings.NewReplacer("[", "(", "]", ")", "\n", " ").Replace(tool) + "] "
}

type report Report

func (r *report) drop(key, tool, reason string) {
	r.Dropped = append(r.Dropped, schema.Dropped{Segment: key, Tool: tool, Reason: reason})
}

// output is the decision about one tool result.
type output struct {
	def      schema.ToolDef
	noMemory bool
	reason   string // why it is not computed, "" where it is
}

func (c *Cleaner) decide(res *schema.ToolResult, policy Policies) output {
	var o output
	if policy != nil {
		o.def, _ = policy(res.Name)
	}
	// A tool that is both is marked as not ingested, but quotes of it are left out all the same.
	o.noMemory = o.def.NoMemory
	switch {
	case !o.def.Ingested():
		o.reason = ReasonNotIngested
	case o.noMemory:
		o.reason = ReasonNoMemory
	case res.Status == schema.ToolAborted:
		o.reason = ReasonAborted
	case strings.TrimSpace(res.Output) == "":
		o.reason = ReasonEmpty
	}
	return o
}

// spoken is the basic cleaning of what user and assistant said; secrets are masked later, so that a quotation of
// an output that holds one is still seen to be one.
func spoken(s string) string {
	if s == "" {
		return ""
	}
	return basic(legible(s), false)
}

// tool is the computed text of one output: its policy's cleaners first, which must see the format they are made
// for, then what every text gets.
func (c *Cleaner) tool(out string, steps []string) (string, *schema.Fault) {
	text, fault := c.shape(legible(out), steps)
	if fault != nil {
		return "", fault
	}
	return tidy(maskSecrets(basic(legible(text), true))), nil
}

// withoutQuotes leaves the spans of a text out that quote a no_memory output (A3). In the input only a pasted block
// counts, one that stands in a code fence or reaches over a line break: the input came before the output, and a
// tool that echoes a command or a message must not erase what the user said.
func (r *report) withoutQuotes(key, text string, outputs []output, t *schema.Turn, hidden []string) string {
	if len(text) < minQuote {
		return text
	}
	q := newQuoter(text)
	for _, h := range hidden {
		q.against(h)
	}
	spans := q.spans()
	if key == string(schema.SegInput) {
		spans = pasted(text, spans)
	}
	if len(spans) == 0 {
		return text
	}
	tool := "" // named where there is only one it can be
	for i, o := range outputs {
		if !o.noMemory || t.ToolResults[i].Name == tool {
			continue
		}
		if tool != "" {
			tool = ""
			break
		}
		tool = t.ToolResults[i].Name
	}
	r.drop(key, tool, ReasonQuoted)
	return without(text, spans)
}

// pasted keeps the spans that lie in code or hold a line break.
func pasted(text string, spans [][2]int) [][2]int {
	code := codeSpans(text, 0)
	var keep [][2]int
	for _, s := range spans {
		if strings.Contains(strings.TrimSpace(text[s[0]:s[1]]), "\n") || code.holds(s[0]) {
			keep = append(keep, s)
		}
	}
	return keep
}

// relays reports whether the response is (almost) nothing but a verbatim quotation of tool outputs: then the tool
// is who speaks, and its class holds (no laundering of tool text into the assistant's words).
func relays(resp string, t *schema.Turn, outputs []output) bool {
	if len(resp) < minQuote {
		return false
	}
	var q *quoter
	for i, o := range outputs {
		if o.noMemory || t.ToolResults[i].Output == "" {
			continue
		}
		if q == nil {
			q = newQuoter(resp)
		}
		q.against(maskSecrets(plain(terminal(legible(t.ToolResults[i].Output), true))))
	}
	return q != nil && share(resp, q.spans()) >= relayShare
}

// relayShare is the part of a response that must be verbatim tool text for the response to be the tool's.
const relayShare = 0.9

// inputClass is the class of what was said to the agent: the user's own words are the user's, those of somebody else
// in the conversation are not, and can neither become a rule nor outrank what the user said.
func inputClass(t *schema.Turn) schema.Class {
	if t.Speaker != "" && text.FoldMatch(t.Speaker) != text.FoldMatch(t.User) {
		return schema.ClassAssistant
	}
	return schema.ClassUser
}
