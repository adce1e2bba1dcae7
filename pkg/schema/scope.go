package schema

// Scope is one thing that a credential may allow. There is no order among them: none contains another.
type Scope string

// The scopes.
const (
	ScopePublish Scope = "publish" // offer turns
	ScopeQuery   Scope = "query"   // ask, list, and see how far the pipeline is
	ScopeRaw     Scope = "raw"     // read events as published, secrets and all
	ScopePin     Scope = "pin"     // state memories outright, edit and pin them
	ScopeErase   Scope = "erase"   // forget and delete
	ScopeAdmin   Scope = "admin"   // tool policies, users' settings, metrics; dead letters; replays and jobs, which concern every tenant
)

// Scopes lists them all.
var Scopes = []Scope{ScopePublish, ScopeQuery, ScopeRaw, ScopePin, ScopeErase, ScopeAdmin}
