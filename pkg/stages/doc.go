// Package stages is the pipeline: one file a stage, one line a stage in [All], and the runner that owns delivery
// and writing around them.
//
// A stage ([Func]) only decides. It guarantees that the same event gives the same result, whoever runs it and
// however often; the runner guarantees that an event is acknowledged only after its writes are durable and its
// events are stored. Neither guarantees an order between events: writes commute.
package stages
