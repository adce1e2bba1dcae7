package schema

// DoneWrite sets the done flag of a stage on the event point of ev, if that is (still) ev's.
func DoneWrite(ev Event, stage string) Write {
	return Write{
		Kind: WriteSetPayload, Collection: Events, Owner: Owner(ev.Tenant, ev.User),
		IDs: []string{ev.UUID}, Payload: map[string]any{KeyDone + stage: true}, Seq: ev.Seq,
	}
}

// ForgottenWrite turns an event point into the mark that its event was there and is forgotten: no text is left.
func ForgottenWrite(owner, id string) Write {
	return Write{
		Kind: WriteSetPayload, Collection: Events, Owner: owner, IDs: []string{id},
		Payload: map[string]any{
			KeyOutcome: string(OutcomeForgotten), KeySegments: []map[string]any{},
			KeyDropped: []map[string]any{}, KeyFaults: []map[string]any{}, KeyMetadata: map[string]any{}, KeyArchived: false,
		},
	}
}
