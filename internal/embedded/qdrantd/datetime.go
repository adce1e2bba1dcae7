package qdrantd

import "time"

// timeLayouts are the forms Qdrant reads a datetime in; those without a zone are UTC. Go's parser takes a fraction
// after the seconds of every layout by itself.
var timeLayouts = [...]string{
	time.RFC3339,
	"2006-01-02 15:04:05Z07:00",
	"2006-01-02T15:04:05Z0700",
	"2006-01-02 15:04:05Z0700",
	"2006-01-02T15:04:05Z07",
	"2006-01-02 15:04:05Z07",
	"2006-01-02T15:04:05",
	"2006-01-02 15:04:05",
	"2006-01-02T15:04",
	"2006-01-02 15:04",
	"2006-01-02",
}

// parseTime is the datetime in microseconds since 1970.
func parseTime(s string) (int64, bool) {
	if len(s) < 10 || s[4] != '-' {
		return 0, false
	}
	for _, l := range timeLayouts {
		if t, err := time.Parse(l, s); err == nil {
			return t.UnixMicro(), true
		}
	}
	return 0, false
}
