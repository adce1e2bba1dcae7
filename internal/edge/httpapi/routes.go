package httpapi

import (
	"net/http"
	"strings"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

// route is one line of the table of routes: what is answered, what a credential must allow for it, which port it
// needs, and by which handler.
type route struct {
	method, path string
	scope        schema.Scope // "" for what is open to everyone
	has          func(*Config) bool
	serve        func(*server, http.ResponseWriter, *http.Request)
}

// name is how a route is spoken of: its method and path.
func (rt route) name() string { return rt.method + " " + rt.path }

// routes is everything that the edge answers. The matrix of routes and scopes, the OpenAPI document and the tests
// of both are made from it.
var routes = []route{
	{"GET", "/healthz", "", always, (*server).getHealth},
	{"GET", "/readyz", "", always, (*server).getReady},
	{"GET", "/openapi.json", "", always, (*server).getOpenAPI},
	{"GET", "/metrics", schema.ScopeAdmin, hasMetrics, (*server).getMetrics},

	{"POST", "/v1/events", schema.ScopePublish, hasPublisher, (*server).postEvents},
	{"GET", "/v1/events/{id}", schema.ScopeRaw, hasEvents, (*server).getEvent},
	{"GET", "/v1/events/{id}/status", schema.ScopeQuery, hasEvents, (*server).getEventStatus},
	{"POST", "/v1/query", schema.ScopeQuery, hasQuerier, (*server).postQuery},
	{"GET", "/v1/memories", schema.ScopeQuery, hasQuerier, (*server).getMemories},
	{"POST", "/v1/memories", schema.ScopePin, hasMemoryWriter, (*server).postMemory},
	{"GET", "/v1/memories/{id}", schema.ScopeQuery, hasMemoryReader, (*server).getMemory},
	{"PATCH", "/v1/memories/{id}", schema.ScopePin, hasMemoryWriter, (*server).patchMemory},
	{"DELETE", "/v1/memories/{id}", schema.ScopeErase, hasMemoryWriter, (*server).deleteMemory},
	{"GET", "/v1/pins", schema.ScopeQuery, hasMemoryReader, (*server).getPins},
	{"POST", "/v1/pins", schema.ScopePin, hasPinner, (*server).postPin},
	{"DELETE", "/v1/pins/{id}", schema.ScopePin, hasPinner, (*server).deletePin},
	{"POST", "/v1/forget", schema.ScopeErase, hasForgetter, (*server).postForget},
	{"POST", "/v1/archive", schema.ScopeErase, hasArchiver, (*server).postArchive},
	{"POST", "/v1/erase", schema.ScopeAdmin, hasEraser, (*server).postErase},
	{"GET", "/v1/status", schema.ScopeQuery, hasStatus, (*server).getStatus},
	{"GET", "/v1/tools", schema.ScopeQuery, hasTools, (*server).getTools},
	{"PUT", "/v1/tools/{name}", schema.ScopeAdmin, hasTools, (*server).putTool},
	{"GET", "/v1/settings", schema.ScopeQuery, hasSettings, (*server).getSettings},
	{"PUT", "/v1/settings", schema.ScopeAdmin, hasSettings, (*server).putSettings},
	{"GET", "/v1/dlq", schema.ScopeAdmin, hasDead, (*server).getDeadLetters},
	{"GET", "/v1/dlq/{id}", schema.ScopeAdmin, hasDead, (*server).getDeadLetter},
	{"POST", "/v1/dlq/{id}/retry", schema.ScopeAdmin, hasDead, (*server).postRetry},
	{"DELETE", "/v1/dlq/{id}", schema.ScopeAdmin, hasDead, (*server).deleteDeadLetter},
	{"POST", "/v1/replay", schema.ScopeAdmin, hasReplayer, (*server).postReplay},
	{"GET", "/v1/generations", schema.ScopeAdmin, hasReplayer, (*server).getReplays},
	{"POST", "/v1/replay/switch", schema.ScopeAdmin, hasSwitcher, (*server).postSwitch},
	{"POST", "/v1/replay/rollback", schema.ScopeAdmin, hasSwitcher, (*server).postRollback},
	{"DELETE", "/v1/generations/{generation}", schema.ScopeAdmin, hasReplayer, (*server).deleteReplay},
	{"POST", "/v1/audit", schema.ScopeAdmin, hasAuditor, (*server).postAudit},
	{"GET", "/v1/log", schema.ScopeAdmin, hasKeeper, (*server).getLog},
	{"POST", "/v1/log/accept", schema.ScopeAdmin, hasKeeper, (*server).postLogAccept},
	{"POST", "/v1/snapshot", schema.ScopeAdmin, hasJobs, (*server).postSnapshot},
	{"GET", "/v1/jobs/{id}", schema.ScopeAdmin, hasJobs, (*server).getJob},
}

// also is a scope that is enough for a part of what a route answers, "" for none: whoever may forget and archive sees how far such a
// request is.
func (rt route) also() schema.Scope {
	if rt.name() == "GET /v1/jobs/{id}" {
		return schema.ScopeErase
	}
	return ""
}

// role names the role that answers what this process does not: it has another one.
func (rt route) role() string {
	switch {
	case rt.name() == "POST /v1/query", rt.method == "GET" && (strings.HasPrefix(rt.path, "/v1/memories") || rt.path == "/v1/pins"):
		return "retriever"
	}
	return "ingester"
}

func always(*Config) bool            { return true }
func hasMetrics(c *Config) bool      { return c.Metrics != nil }
func hasPublisher(c *Config) bool    { return c.Publisher != nil }
func hasEvents(c *Config) bool       { return c.Events != nil }
func hasQuerier(c *Config) bool      { return c.Querier != nil }
func hasMemoryReader(c *Config) bool { return c.MemoryReader != nil }
func hasMemoryWriter(c *Config) bool { return c.MemoryWriter != nil }
func hasPinner(c *Config) bool       { return c.Pinner != nil }
func hasForgetter(c *Config) bool    { return c.Forgetter != nil }
func hasArchiver(c *Config) bool     { return c.Archiver != nil }
func hasEraser(c *Config) bool       { return c.Eraser != nil }
func hasStatus(c *Config) bool       { return c.Status != nil }
func hasTools(c *Config) bool        { return c.Tools != nil }
func hasSettings(c *Config) bool     { return c.Settings != nil }
func hasReplayer(c *Config) bool     { return c.Replayer != nil }
func hasSwitcher(c *Config) bool     { return c.Switcher != nil }
func hasDead(c *Config) bool         { return c.Dead != nil }
func hasAuditor(c *Config) bool      { return c.Auditor != nil }
func hasKeeper(c *Config) bool       { return c.Keeper != nil }
func hasJobs(c *Config) bool         { return c.Jobs != nil }
