package events

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

func TestSubjects(t *testing.T) {
	for got, want := range map[string]string{
		LogSubject("acme", "", schema.OpTool):     "silt.log.acme.000.tool",
		LogFilter("", ""):                         SubjectsLog,
		LogFilter("", schema.OpForget):            SubjectsForget,
		LogFilter("a.b", schema.OpTurn):           "silt.log.az2eb.*.turn",
		InSubject("Acme"):                         "silt.in.z41cme",
		WorkStream(3):                             "SILT_WORK_3",
		WorkFilter(3, schema.OpCleaned):           "silt.work.3.cleaned.*.*",
		WorkSubject(3, schema.OpFact, "acme", ""): "silt.work.3.fact.acme.000",
		DLQSubject(StageClean, "acme", "e1"):      "silt.dlq.clean.acme.e1",
		Durable(StageClean, 12):                   "clean_12",
		LogMsgID("u"):                             "in:u",
		MsgID(StageClean, 2, "u", 9, 0):           "clean:2:u:9",
		MsgID(StageDecide, 2, "u", 9, 3):          "decide:2:u:9:3",
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// A hostile tenant or user cannot leave its token: the subject has the right number of tokens, all of [a-z0-9],
// and no other tenant's filter matches it.
func TestPitfall20_HostileIDsStayInTheirToken(t *testing.T) {
	hostile := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"*", ">", "a.b", "a b", "", "$JS.API", "\r\n", "ünï", "中文", "%2e", "../"}))
	rapid.Check(t, func(t *rapid.T) {
		tenant, user, other := hostile.Draw(t, "tenant"), hostile.Draw(t, "user"), hostile.Draw(t, "other")
		for _, s := range []string{LogSubject(tenant, user, schema.OpTurn), WorkSubject(1, schema.OpCleaned, tenant, user), InSubject(tenant), DLQSubject(StageVectorize, tenant, user)} {
			for _, tok := range strings.Split(s, ".") {
				if tok == "" || strings.Trim(tok, "abcdefghijklmnopqrstuvwxyz0123456789") != "" {
					t.Fatalf("%q %q: subject %q", tenant, user, s)
				}
			}
		}
		got, ok := TenantOf(LogSubject(tenant, user, schema.OpTurn))
		if !ok || got != tenant {
			t.Fatalf("TenantOf gives %q, %v; want %q", got, ok, tenant)
		}
		if got, ok := TenantOf(WorkSubject(1, schema.OpFact, tenant, user)); !ok || got != tenant {
			t.Fatalf("TenantOf(work) gives %q, %v; want %q", got, ok, tenant)
		}
		if other != tenant && other != "" && strings.HasPrefix(LogSubject(tenant, user, schema.OpTurn), strings.TrimSuffix(LogFilter(other, ""), "*.*")) {
			t.Fatalf("the filter of %q matches %q", other, tenant)
		}
	})
}
