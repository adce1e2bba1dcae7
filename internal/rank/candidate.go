package rank

import "github.com/siltstone-ai/siltstone/pkg/schema"

// Names of the search arms.
const (
	ArmDense = "dense"
	ArmTerms = "terms"
)

// Arms lists the arms in the order in which they are summed.
var Arms = [...]string{ArmDense, ArmTerms}

// Candidate is one memory on its way into a reply. The caller sets the first group of fields; [Relevance], [Answers] and
// [Order] set the last.
type Candidate struct {
	Item     schema.Item
	Hash     string             // content hash, "" for none
	Standing bool               // comes from path A: in the block whatever was asked
	Arms     map[string]float64 // raw score by arm; an arm that did not return it is absent
	Cross    bool               // the text that the dense arm found is in another language than the query
	Shared   float64            // share of the query's term weight that the text holds, 0 to 1
	Rare     bool               // the text holds a rare term of the query
	Judged   bool               // Agrees is known
	Agrees   float64            // how well the text holds the query's words one by one, 0 to 1
	Near     *float64           // cosine of the judged text under the built-in table, where another model embeds
	Tokens   int                // length of the text that was judged
	Named    bool               // the query names who says it
	Turn     *Turn              // place in its conversation, nil where it has none

	Asks      bool // all it does is ask: it ends with a question, and nothing in it answers
	TellsWhen bool // its text tells a time

	Found     bool    // passed a floor of its own, or stands beside one that did
	Own       bool    // passed a floor of its own
	Gains     []Gain  // what each arm gives, in the order of Arms; empty for an item that was not found
	Neighbour float64 // what the turns beside it give
	Answer    float64 // what the turn before it gives, where that asks; see [Answers]
}

// Turn is the place of an episode in its conversation: turns with the same Conversation and consecutive Order are
// neighbours.
type Turn struct {
	Conversation string
	Order        int
}

// Gain is what one arm says of a candidate, standardised.
type Gain struct {
	Arm   string
	Rank  int     // 1-based in its arm; 0 where the arm did not return it
	Score float64 // raw
	Z     float64 // (score − mean) ÷ deviation over the arm's candidates
	Gain  float64 // (score − score of an item the arm did not return) ÷ deviation, never negative
}

// Trusted reports whether the item may speak as a rule or a preference of the user: only what a user or operator
// said may. Everything else is shown as a fact, whatever its type says.
func Trusted(it schema.Item) bool { return it.Source.Class >= schema.ClassUser }

// Section is the type under whose budget and heading an item goes into a block: its own, but fact for episodes and
// for constraints and preferences that no user or operator stands behind.
func Section(it schema.Item) schema.Type {
	switch it.Type {
	case schema.TypeConstraint, schema.TypePreference:
		if !Trusted(it) {
			return schema.TypeFact
		}
		return it.Type
	case schema.TypeTodoHint:
		return it.Type
	}
	return schema.TypeFact
}
