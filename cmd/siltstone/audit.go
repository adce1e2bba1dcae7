package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/siltstone-ai/siltstone/pkg/schema"
)

func auditCommand(e *env) *cobra.Command {
	var r schema.AuditRequest
	c := &cobra.Command{
		Use: "audit", Short: "Prove that every accepted event is accounted for, and has the points that it must have", Long: help("audit"), Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return e.audit(cmd, r) },
	}
	var kinds []string
	c.PreRun = func(*cobra.Command, []string) {
		for _, k := range kinds {
			r.Kinds = append(r.Kinds, schema.AuditKind(k))
		}
	}
	c.Flags().StringSliceVar(&kinds, "kind", nil, "list faults of these kinds alone: missing, doubled, ghost, damaged, lost; all are counted")
	c.Flags().BoolVar(&r.Repair, "repair", false, "feed what is missing again, delete what is too much, and audit once more")
	return c
}

func (e *env) audit(cmd *cobra.Command, r schema.AuditRequest) error {
	cl, err := e.client()
	if err != nil {
		return err
	}
	id, err := cl.Audit(cmd.Context(), r)
	if err != nil {
		return err
	}
	job, err := e.follow(cmd.Context(), cl, id)
	if err != nil {
		return err
	}
	a := job.Audit
	if e.json {
		if err := printJSON(e.out, a); err != nil {
			return err
		}
	} else {
		t := tabwriter.NewWriter(e.out, 0, 4, 2, ' ', 0)
		for _, f := range a.Found {
			fmt.Fprintf(t, "%s\t%s\t%s\tevent %s\tlog %d\n", f.Kind, f.Collection, f.Point, orDash(f.Event), f.Seq)
		}
		if err := t.Flush(); err != nil {
			return err
		}
		if n := len(a.Found); n == schema.MaxAuditShown && uint64(n) < a.Faults {
			fmt.Fprintf(e.out, "… the first %d of %d: --kind lists one kind alone\n", n, a.Faults)
		}
		fmt.Fprintf(e.out, "generation %d, log to %d: %d faults, %d repaired\n%s\n", a.Generation, a.UpTo, a.Faults, a.Repaired, ledgerLine(a.Ledger))
	}
	if a.Faults > 0 {
		return fmt.Errorf("the audit found %d faults", a.Faults)
	}
	return nil
}
