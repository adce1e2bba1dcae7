package crash

// Point is a moment at which a process can be made to die.
type Point string

// The points, in the order in which an event passes them.
const (
	BlobStored     Point = "blob.stored"       // a large body lies in the blobs, and no entry claims it yet
	AppendBegin    Point = "append.begin"      // nothing of a call is in the log
	AppendPart     Point = "append.part"       // some of a call's events are in the log
	AppendDone     Point = "append.done"       // all are, and nobody was told
	PointsBegin    Point = "points.begin"      // a stage has decided, and written nothing
	PointsDone     Point = "points.done"       // its points are written
	SlotPart       Point = "slot.part"         // some of the slots of a decision are guarded, or none, and not all
	SlotDone       Point = "slot.done"         // all are
	PublishBegin   Point = "publish.begin"     // what the stage derived is not published
	PublishDone    Point = "publish.done"      // it is, and the stage's flag is not set
	AckBegin       Point = "ack.begin"         // the message is worked on, and not acknowledged
	AckDone        Point = "ack.done"          // its acknowledgement is on its way
	DeadTold       Point = "dead.told"         // the event point says dead, and there is no letter
	DeadStored     Point = "dead.stored"       // there is a letter, and the message is still in its stream
	CheckpointRead Point = "checkpoint.read"   // the floor is known, and not written down
	CheckpointDone Point = "checkpoint.done"   // it is written down
	ResetDone      Point = "ensure.reset"      // clean starts at the floor again, and there is no work stream
	StreamClosed   Point = "ensure.closed"     // the work stream stands, and is not open
	ForgetMarked   Point = "forget.marked"     // what is forgotten is marked, and nothing is deleted
	ForgetDeleted  Point = "forget.deleted"    // its points are deleted, and the slots not decided again
	ForgetDone     Point = "forget.done"       // they are, and dead letters are not looked through
	ReplayBegun    Point = "replay.registered" // a generation is registered, and nobody works on it
	ReplayFilled   Point = "replay.filled"     // it was compared, and is not noted as filled
	SwitchDone     Point = "switch.done"       // it is the one that is read, and still noted as to be switched to
	PrunePart      Point = "prune.part"        // the streams of a generation are gone, and its points are there
	VectorsLogged  Point = "vectors.logged"    // the vector server has a change in its log, not synced
	VectorsSynced  Point = "vectors.synced"    // it is synced, and nobody was told
	HandlerBegin   Point = "handler"           // a handler begins with an event
)

// All are the points, in order.
var All = []Point{
	BlobStored, AppendBegin, AppendPart, AppendDone, PointsBegin, PointsDone, SlotPart, SlotDone, PublishBegin, PublishDone,
	AckBegin, AckDone, DeadTold, DeadStored, CheckpointRead, CheckpointDone, ResetDone, StreamClosed, ForgetMarked, ForgetDeleted,
	ForgetDone, ReplayBegun, ReplayFilled, SwitchDone, PrunePart, VectorsLogged, VectorsSynced, HandlerBegin,
}
