package doctor

import (
	"fmt"
	"net"
)

// Holder is a process; PID 0 is none, or one that is not known.
type Holder struct {
	PID  int
	Name string
}

func (h Holder) String() string {
	if h.PID == 0 {
		return "another process"
	}
	return fmt.Sprintf("%s (process %d)", h.Name, h.PID)
}

// Port looks whether addr, host:port of the setting key, is free to listen on. Held by the process own, Siltstone as
// it runs already (0: it does not), it is well too.
func Port(key, addr, flag string, own int) Finding {
	check := "port of " + key
	l, err := net.Listen("tcp", addr)
	if err == nil {
		_ = l.Close() // it was only to see
		return Finding{check, OK, addr + " is free", ""}
	}
	h := holder(addr)
	switch {
	case own != 0 && h.PID == own:
		return Finding{check, OK, fmt.Sprintf("%s is held by Siltstone itself, process %d", addr, own), ""}
	case inUse(err):
		return Finding{check, Fail, fmt.Sprintf("%s is held by %s", addr, h), "stop that, or choose another address with " + flag + "; where it is a role of this installation, doctor --roles none looks at the servers alone"}
	}
	return Finding{check, Fail, fmt.Sprintf("%s cannot be listened on: %v", addr, err), "choose another address with " + flag}
}
