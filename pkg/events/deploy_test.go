package events

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/siltstone-ai/siltstone/pkg/events/eventstest"
	"github.com/siltstone-ai/siltstone/pkg/schema"
)

var update = flag.Bool("update", false, "write generated files anew")

const deployDir = "../../deploy/nats"

func TestDeployStreamsDoNotDrift(t *testing.T) {
	for file, top := range map[string]Topology{"streams.json": DefaultTopology(), "streams.cluster.json": ClusterTopology()} {
		want, err := top.Layout(1).JSON()
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(deployDir, file)
		if *update {
			if err := os.WriteFile(path, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s differs from the code (%v): go test ./pkg/events -run Deploy -update", file, err)
		}
		if err := top.Validate(); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// deployed starts a server on a shipped configuration, but for its addresses and directory.
func deployed(t *testing.T, file string) *server.Server {
	t.Helper()
	for _, v := range []string{"SILT_NATS_PASSWORD", "SILT_ACME_PASSWORD", "SILT_SYS_PASSWORD", "SILT_NATS_ROUTE_PASSWORD"} {
		t.Setenv(v, "pw_"+v)
	}
	t.Setenv("SILT_NATS_NAME", "silt-1")
	o, err := server.ProcessConfigFile(filepath.Join(deployDir, file))
	if err != nil {
		t.Fatal(err)
	}
	if !o.SyncAlways || !o.JetStream || o.MaxPayload != 1<<20 || o.JetStreamMaxStore <= 0 || o.Host != "127.0.0.1" {
		t.Errorf("%s: sync %v, JetStream %v, payload %d, store %d, host %s", file, o.SyncAlways, o.JetStream, o.MaxPayload, o.JetStreamMaxStore, o.Host)
	}
	return eventstest.Server(t, func(to *server.Options) {
		dir, port := t.TempDir(), to.Port
		*to = *o
		to.StoreDir, to.Port, to.HTTPPort, to.NoLog, to.NoSigs = dir, port, 0, true, true
		to.JetStreamMaxStore = 4 << 30 // whatever disk the test runs on
		to.Cluster = server.ClusterOpts{}
	})
}

func user(t *testing.T, s *server.Server, name, variable string) jetstream.JetStream {
	t.Helper()
	js, err := jetstream.New(eventstest.Conn(t, s, nats.UserInfo(name, "pw_"+variable)))
	if err != nil {
		t.Fatal(err)
	}
	return js
}

// On the shipped configuration Siltstone's account gets its streams; a tenant's reaches the services under its own
// name, and nothing else.
func TestDeployAccountsWallOffTenants(t *testing.T) {
	s := deployed(t, "server.conf")
	ctx := testContext(t)
	silt, acme := user(t, s, "silt", "SILT_NATS_PASSWORD"), user(t, s, "acme", "SILT_ACME_PASSWORD")
	if _, err := Ensure(ctx, silt, DefaultTopology(), 1); err != nil {
		t.Fatal(err)
	}
	mustAppend(t, ctx, openLog(t, ctx, silt), turnEvents(3, "a")...)

	// A plain publish lands in SILT_IN under the tenant's own subject.
	nc := acme.Conn()
	r, err := nc.Request("silt.in", []byte("x"), patience)
	if err != nil || !bytes.Contains(r.Data, []byte(StreamIn)) {
		t.Fatalf("silt.in: %v", err)
	}
	in, err := silt.Stream(ctx, StreamIn)
	if err != nil {
		t.Fatal(err)
	}
	m, err := in.GetMsg(ctx, 1)
	if err != nil || m.Subject != InSubject("acme") {
		t.Errorf("subject %q, %v", m.Subject, err)
	}
	if tenant, ok := TenantOf(m.Subject); !ok || tenant != "acme" {
		t.Errorf("tenant %q %v", tenant, ok)
	}

	// The services answer it, and see the account in the subject.
	for _, subject := range []string{SubjectIngest, SubjectQuery, SubjectForget, SubjectStatus} {
		if _, err := silt.Conn().QueueSubscribe(subject+".*", "q", func(m *nats.Msg) { _ = m.Respond([]byte(m.Subject)) }); err != nil {
			t.Fatal(err)
		}
		if err := silt.Conn().Flush(); err != nil {
			t.Fatal(err)
		}
		if r, err := nc.Request(subject, nil, patience); err != nil || string(r.Data) != subject+".acme" {
			t.Errorf("%s: %v", subject, err)
		}
	}

	// Nothing else is there: no log, no other tenant's subjects, no JetStream of Siltstone's.
	short, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	if _, err := acme.Stream(short, StreamLog); err == nil {
		t.Error("a tenant sees the log")
	}
	for _, subject := range []string{"silt.in.other", "silt.ingest.other", "silt.query.other", "silt.forget.other", "silt.status.other", LogSubject("acme", "u", schema.OpTurn), "$JS.API.STREAM.INFO.SILT_LOG"} {
		if r, err := nc.Request(subject, []byte("x"), time.Second); err == nil && !bytes.Contains(r.Data, []byte("10039")) {
			t.Errorf("%s answers a tenant: %q", subject, r.Data)
		}
	}
	if n, err := openLog(t, ctx, silt).Count(ctx, "", ""); n != 3 || err != nil {
		t.Errorf("the log holds %d, %v", n, err)
	}
}

func TestDeployClusterConfigurationIsValid(t *testing.T) { deployed(t, "cluster.conf") }

// The lag that scaling looks at can be read from the monitoring endpoint.
func TestPitfall23_LagIsInTheMonitoring(t *testing.T) {
	s := deployed(t, "server.conf")
	ctx := testContext(t)
	js := user(t, s, "silt", "SILT_NATS_PASSWORD")
	if _, err := Ensure(ctx, js, DefaultTopology(), 1); err != nil {
		t.Fatal(err)
	}
	mustAppend(t, ctx, openLog(t, ctx, js), turnEvents(3, "a")...)
	var lag map[string]uint64
	eventstest.Eventually(t, patience, "the server counts what is pending", func() bool { // it does so after the append
		z, err := s.Jsz(&server.JSzOptions{Account: "SILT", Consumer: true, Config: true})
		if err != nil {
			t.Fatal(err)
		}
		lag = map[string]uint64{}
		for _, a := range z.AccountDetails {
			for _, st := range a.Streams {
				for _, c := range st.Consumer {
					lag[c.Name] = c.NumPending + uint64(c.NumAckPending)
				}
			}
		}
		return lag["clean_1"] > 2
	})
	if lag["clean_1"] != 3 || lag["forget_1"] != 0 {
		t.Errorf("lag is %v", lag)
	}
}
