package clean

import (
	"fmt"
	"sort"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// Func shapes the computed text of one segment. arg is what follows the first colon of a step ("4000" in
// "truncate:4000"), "" for none. It must be deterministic and safe for concurrent use.
type Func func(text, arg string) (string, error)

// Builtin declares a cleaner that comes with Siltstone: one row of [Builtins].
type Builtin struct {
	Name string
	Arg  string                     // what the argument looks like, for people; "" for none
	Doc  string                     // one sentence for people
	New  func(string) (Func, error) // checks and compiles the argument; the Func gets "" as its arg
}

// Builtins is every cleaner that a policy may name, in the order in which a person would chain them. A name that
// ends in "?" is the lenient form: text that is plainly not of that format passes unchanged.
func Builtins() []Builtin {
	return []Builtin{
		{"json", "<path>[,<path>…]", "takes the values at dotted paths out of JSON (arrays are walked, * takes every value); anything but JSON is a fault", newJSON},
		{"json?", "<path>[,<path>…]", "as json, but text that does not begin as a JSON object or array passes unchanged", newJSONLenient},
		{"html", "", "keeps the visible text of a page: no markup, scripts, styles, navigation or hidden elements", newHTML},
		{"html?", "", "as html, but text that does not look like a page passes unchanged", newHTMLLenient},
		{"ansi", "", "removes terminal escapes, overwritten progress lines and backspaces", newANSI},
		{"base64", "", "replaces data: URIs and long base64 runs by a short mark", newBase64},
		{"drop", "<regexp>", "drops the lines that match (RE2)", newDrop},
		{"lines", "<from>-<to>|head:<n>|tail:<n>[,…]", "keeps these lines", newLines},
		{"whitespace", "", "folds runs of spaces and blank lines", newWhitespace},
		{"truncate", "<runes>[:middle]", "keeps the first so many characters, or the first and last, and says how many were cut", newTruncate},
	}
}

// Bounds of a cleaner's work.
const (
	DefaultBudget = 2 * time.Second
	maxSteps      = 16
	growthFactor  = 4        // a step may not return more than this many times what it was given …
	growthSlack   = 64 << 10 // … plus this many bytes
	ownSlots      = 32       // calls of one own cleaner that may be running, abandoned ones among them
)

// Config is what a Cleaner is made from.
type Config struct {
	Own    map[string]Func                                // a program's own cleaners by name; must not take a built-in's name
	Budget time.Duration                                  // time of one call of an own cleaner; 0 means DefaultBudget
	After  func(time.Duration) (<-chan time.Time, func()) // timer for the budget and its stop; nil means time.NewTimer
}

// Cleaner cleans turns. It is safe for concurrent use.
type Cleaner struct {
	builtins map[string]Builtin
	own      map[string]*guarded
	steps    stepCache
}

// New checks the names of own cleaners.
func New(cfg Config) (*Cleaner, error) {
	if cfg.Budget <= 0 {
		cfg.Budget = DefaultBudget
	}
	if cfg.After == nil {
		cfg.After = func(d time.Duration) (<-chan time.Time, func()) {
			t := time.NewTimer(d)
			return t.C, func() { t.Stop() }
		}
	}
	c := &Cleaner{builtins: make(map[string]Builtin), own: make(map[string]*guarded, len(cfg.Own))}
	for _, b := range Builtins() {
		c.builtins[b.Name] = b
	}
	for name, f := range cfg.Own {
		switch {
		case name == "" || strings.ContainsAny(name, ": \t\n"):
			return nil, schema.Invalid("cleaners", "the name %q is empty or holds a colon or white space", name)
		case f == nil:
			return nil, schema.Invalid("cleaners."+name, "is nil")
		}
		if _, taken := c.builtins[name]; taken {
			return nil, schema.Invalid("cleaners."+name, "is the name of a built-in cleaner")
		}
		c.own[name] = newGuarded(f, cfg.Budget, cfg.After)
	}
	return c, nil
}

// Names lists every cleaner that a policy may name, sorted.
func (c *Cleaner) Names() []string {
	names := make([]string, 0, len(c.builtins)+len(c.own))
	for n := range c.builtins {
		names = append(names, n)
	}
	for n := range c.own {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}

// Check refuses a policy that could never run: an unknown cleaner, an argument that does not parse, a bad regular
// expression, too many steps. The error is a [schema.Error] naming the field, e.g. "cleaner[1]".
func (c *Cleaner) Check(p schema.ToolPolicy) error {
	if p.Cleaner == nil {
		return nil
	}
	return c.CheckSteps(*p.Cleaner)
}

// CheckSteps is Check for the steps alone.
func (c *Cleaner) CheckSteps(steps []string) error {
	if len(steps) > maxSteps {
		return schema.Invalid("cleaner", "holds %d steps, at most %d are allowed", len(steps), maxSteps)
	}
	for i, s := range steps {
		if _, err := c.compile(s); err != nil {
			return schema.Invalid(fmt.Sprintf("cleaner[%d]", i), "%v", err)
		}
	}
	return nil
}

// compile resolves one step, "name" or "name:arg".
func (c *Cleaner) compile(step string) (Func, error) {
	name, arg, _ := strings.Cut(step, ":")
	if g, ok := c.own[name]; ok {
		return func(text, _ string) (string, error) { return g.run(text, arg) }, nil
	}
	b, ok := c.builtins[name]
	if !ok {
		return nil, fmt.Errorf("no cleaner is named %q; there are %s", name, strings.Join(c.Names(), ", "))
	}
	if f := c.steps.get(step); f != nil {
		return f, nil
	}
	f, err := b.New(arg)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	// What a built-in finds behind an escape ("\u0000" in JSON, "&#8203;" in a page) is made legible, not a fault.
	wrapped := func(text, _ string) (string, error) {
		out, err := f(text, "")
		return legible(out), err
	}
	c.steps.put(step, wrapped)
	return wrapped, nil
}

// shape runs the steps of a policy over text. A failing step names itself in the fault; the text is then lost.
func (c *Cleaner) shape(text string, steps []string) (string, *schema.Fault) {
	if len(steps) > maxSteps {
		return "", &schema.Fault{Cleaner: steps[maxSteps], Reason: "the policy holds too many steps"}
	}
	for _, s := range steps {
		f, err := c.compile(s)
		var out string
		if err == nil {
			out, err = safely(f, text)
		}
		if err == nil {
			err = checkOutput(text, out)
		}
		if err != nil {
			return "", &schema.Fault{Cleaner: s, Reason: faultReason(err)}
		}
		text = out
	}
	return text, nil
}

// safely turns a panic of a cleaner into an error.
func safely(f Func, text string) (out string, err error) {
	defer func() {
		if r := recover(); r != nil {
			// The value of the panic may hold the text, so only its type is told.
			out, err = "", fmt.Errorf("panicked (%T)", r)
		}
	}()
	return f(text, "")
}

func checkOutput(in, out string) error {
	switch {
	case !utf8.ValidString(out):
		return fmt.Errorf("returned invalid UTF-8")
	case strings.IndexByte(out, 0) >= 0:
		return fmt.Errorf("returned a NUL character")
	case len(out) > growthFactor*len(in)+growthSlack:
		return fmt.Errorf("returned %d bytes for %d", len(out), len(in))
	}
	return nil
}

// faultReason bounds what a fault says: reasons are stored and shown, and an own cleaner's error is not ours.
func faultReason(err error) string {
	s := Text(err.Error())
	if s == "" {
		s = "failed without a reason"
	}
	if utf8.RuneCountInString(s) > 200 {
		s = string([]rune(s)[:200]) + "…"
	}
	return s
}
