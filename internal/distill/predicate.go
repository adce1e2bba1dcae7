package distill

import "github.com/siltstone-ai/siltstone/pkg/schema"

// arity says which statements about one subject leave no room for one another.
type arity uint8

const (
	many      arity = iota // no slot: values live side by side (owns, knows)
	one                    // functional: the latest value holds
	immutable              // functional by nature (birthday): another value is a correction
	polar                  // one slot an object: like and dislike of it exclude one another
	open                   // amounts: side by side until one names the value it replaces
	things                 // what one likes, does, uses, has: side by side; the poles of one thing exclude one another
)

// predicate is a row of the vocabulary: what a canonical predicate means for the memory that carries it.
type predicate struct {
	name  string
	arity arity
	typ   schema.Type
	kind  schema.Kind
	imp   float64 // importance of the plain statement; see rank of explicit ones in finish
	slot  string  // name of the slot, "" for the predicate's own; of things, the kind of all of them
}

const (
	impFact  = 0.6 // C4: the middle tier, which a user's own words start from
	impMinor = 0.45
	impRule  = 0.8
	impTool  = 0.3 // C4: the short tier
)

// The vocabulary. Attributes without a row of their own ("my desk phone extension") are functional facts.
var (
	pName      = predicate{"name", one, schema.TypeFact, schema.KindUser, 0.7, ""}
	pLivesIn   = predicate{"lives_in", one, schema.TypeFact, schema.KindUser, impFact, ""}
	pHometown  = predicate{"hometown", immutable, schema.TypeFact, schema.KindUser, impFact, ""}
	pWorksAt   = predicate{"works_at", one, schema.TypeFact, schema.KindUser, impFact, ""}
	pJob       = predicate{"job_title", one, schema.TypeFact, schema.KindUser, impFact, ""}
	pField     = predicate{"works_in", things, schema.TypeFact, schema.KindUser, impFact, ""}
	pSchedule  = predicate{"works_when", one, schema.TypeFact, schema.KindUser, impFact, ""}
	pStudies   = predicate{"studies", things, schema.TypeFact, schema.KindUser, impFact, ""}
	pSpeaks    = predicate{"speaks", things, schema.TypeFact, schema.KindUser, impFact, ""}
	pNation    = predicate{"nationality", one, schema.TypeFact, schema.KindUser, impFact, ""}
	pMarital   = predicate{"marital_status", one, schema.TypeFact, schema.KindUser, impFact, ""}
	pAge       = predicate{"age", one, schema.TypeFact, schema.KindUser, impFact, ""}
	pBirthday  = predicate{"birthday", immutable, schema.TypeFact, schema.KindUser, impFact, ""}
	pAllergic  = predicate{"allergic_to", things, schema.TypeFact, schema.KindUser, 0.8, "allergies"}
	pHealth    = predicate{"health", polar, schema.TypeFact, schema.KindUser, 0.7, ""}
	pTrait     = predicate{"is", polar, schema.TypeFact, schema.KindUser, impFact, ""}
	pDiet      = predicate{"diet", polar, schema.TypePreference, schema.KindUser, 0.7, ""}
	pLikes     = predicate{"likes", things, schema.TypePreference, schema.KindUser, impFact, ""}
	pDislikes  = predicate{"dislikes", things, schema.TypePreference, schema.KindUser, impFact, ""}
	pPrefers   = predicate{"prefers", polar, schema.TypePreference, schema.KindUser, impFact, ""}
	pFavourite = predicate{"favourite", one, schema.TypePreference, schema.KindUser, impFact, ""}
	pHabit     = predicate{"habit", things, schema.TypePreference, schema.KindUser, impFact, ""}
	pConsumes  = predicate{"consumes", things, schema.TypePreference, schema.KindUser, impFact, ""}
	pHas       = predicate{"has", things, schema.TypeFact, schema.KindUser, impFact, ""}
	pUses      = predicate{"uses", things, schema.TypeFact, schema.KindUser, impFact, ""}
	pKnows     = predicate{"knows", many, schema.TypeFact, schema.KindUser, impFact, ""}
	pDoing     = predicate{"is_doing", things, schema.TypeFact, schema.KindUser, impMinor, ""}
	pEvent     = predicate{"did", many, schema.TypeFact, schema.KindUser, impMinor, ""}
	pMember    = predicate{"has_member", many, schema.TypeFact, schema.KindProject, impFact, ""}
	pManager   = predicate{"manager_is", one, schema.TypeFact, schema.KindUser, impFact, ""}
	pAttr      = predicate{"attribute", one, schema.TypeFact, schema.KindUser, impFact, ""}
	pTimetable = predicate{"schedule_of", one, schema.TypeFact, schema.KindProject, impFact, ""}
	pAdvised   = predicate{"medical_advice", many, schema.TypeConstraint, schema.KindUser, impRule, ""}
	pRole      = predicate{"role", many, schema.TypeFact, schema.KindProject, impFact, ""}
	pPort      = predicate{"port_of", one, schema.TypeFact, schema.KindProject, impFact, ""}
	pVersion   = predicate{"version_of", one, schema.TypeFact, schema.KindProject, impFact, ""}
	pPath      = predicate{"path_of", one, schema.TypeFact, schema.KindProject, impFact, ""}
	pHost      = predicate{"runs_on", one, schema.TypeFact, schema.KindProject, impFact, ""}
	pURL       = predicate{"url_of", one, schema.TypeFact, schema.KindProject, impFact, ""}
	pOwner     = predicate{"owner_of", one, schema.TypeFact, schema.KindProject, impFact, ""}
	pDepends   = predicate{"depends_on", many, schema.TypeFact, schema.KindProject, impFact, ""}
	pWrittenIn = predicate{"written_in", one, schema.TypeFact, schema.KindProject, impFact, ""}
	pDecision  = predicate{"decided", many, schema.TypeFact, schema.KindProject, 0.7, ""}
	pAmount    = predicate{"amount_of", open, schema.TypeFact, schema.KindProject, impFact, ""}
	pDate      = predicate{"date_of", one, schema.TypeTodoHint, schema.KindProject, impFact, ""}
	pDeadline  = predicate{"deadline_of", one, schema.TypeTodoHint, schema.KindProject, 0.7, ""}
	pPlan      = predicate{"plans", many, schema.TypeTodoHint, schema.KindUser, impFact, ""}
	pReminder  = predicate{"reminder", many, schema.TypeTodoHint, schema.KindUser, 0.75, ""}
	pRule      = predicate{"rule", many, schema.TypeConstraint, schema.KindFeedback, impRule, ""}
	pPermitted = predicate{"permitted", many, schema.TypeFact, schema.KindFeedback, impFact, ""}
	pExempt    = predicate{"exempt", many, schema.TypeFact, schema.KindFeedback, impFact, ""}
	pAllowed   = predicate{"allowed", polar, schema.TypeConstraint, schema.KindProject, impRule, ""}
	pStatement = predicate{"states", many, schema.TypeFact, schema.KindProject, impMinor, ""}
	pReported  = predicate{"reported", many, schema.TypeFact, schema.KindProject, 0.4, ""}
	pReference = predicate{"reference", many, schema.TypeFact, schema.KindReference, impTool, ""}
)
