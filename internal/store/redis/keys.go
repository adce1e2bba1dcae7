package redis

import "strconv"

// layoutVersion is part of every key: a build that stores something else under a key raises it.
const layoutVersion = "1"

// prefix of every key that Siltstone writes.
const prefix = "silt:" + layoutVersion + ":"

// Keys. owner is schema.Owner(tenant, user): letters, digits and a dot. It stands in braces so that a cluster keeps
// all keys of one user in one slot, which scripts over two of them need.
//
//	silt:1:epoch                         string: random token; everything cached under another one is void
//	silt:1:g<gen>:standing:{owner}       hash: ver, val, epoch
//	silt:1:g<gen>:counts:{owner}         hash: n → documents, <term> → documents that hold it
//	silt:1:g<gen>:touched:{owner}        sorted set: memory id, last access in Unix ms
//	silt:1:g<gen>:recent:{owner}         sorted set: item id, time in Unix ms
//	silt:1:g<gen>:recent-items:{owner}   hash: item id → inside id of its event, sequence, line feed, JSON; whole; filling
//	silt:1:g<gen>:recent-ended:{owner}   sorted set: item id, or that and a sequence; when it ended in Unix ms
const keyEpoch = prefix + "epoch"

func keyStanding(gen int, owner string) string { return keyOf(gen, "standing", owner) }
func keyCounts(gen int, owner string) string   { return keyOf(gen, "counts", owner) }
func keyTouched(gen int, owner string) string  { return keyOf(gen, "touched", owner) }
func keyRecent(gen int, owner string) string   { return keyOf(gen, "recent", owner) }
func keyItems(gen int, owner string) string    { return keyOf(gen, "recent-items", owner) }
func keyEnded(gen int, owner string) string    { return keyOf(gen, "recent-ended", owner) }

// anyRecent matches the keys of recent items of every generation and owner, which share what comes before them.
const anyRecent = prefix + "g*:recent*"

func keyOf(gen int, what, owner string) string { return keyGen(gen) + what + ":{" + owner + "}" }

// anyOf matches every key of a generation.
func anyOf(gen int) string { return keyGen(gen) + "*" }

// keyGen is what all keys of a generation begin with.
func keyGen(gen int) string { return prefix + "g" + strconv.Itoa(gen) + ":" }
