package doctor

import (
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// listening is the state of a listening socket in /proc/net/tcp.
const listening = "0A"

// holder is the process that listens on the port of addr. Of another user's processes only root sees the sockets.
func holder(addr string) Holder {
	_, p, err := net.SplitHostPort(addr)
	if err != nil {
		return Holder{}
	}
	port, err := strconv.ParseUint(p, 10, 16)
	if err != nil {
		return Holder{}
	}
	inodes := map[string]bool{}
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		b, err := os.ReadFile(table)
		if err != nil {
			continue // a kernel without IPv6
		}
		for _, inode := range listeners(string(b), uint16(port)) {
			inodes["socket:["+inode+"]"] = true
		}
	}
	fds, err := filepath.Glob("/proc/[0-9]*/fd/*")
	if err != nil || len(inodes) == 0 {
		return Holder{}
	}
	for _, fd := range fds {
		if to, err := os.Readlink(fd); err != nil || !inodes[to] {
			continue
		}
		process := filepath.Dir(filepath.Dir(fd))
		pid, err := strconv.Atoi(filepath.Base(process))
		if err != nil {
			continue
		}
		name, err := os.ReadFile(filepath.Join(process, "comm"))
		if err != nil {
			continue // it has just ended
		}
		return Holder{PID: pid, Name: strings.TrimSpace(string(name))}
	}
	return Holder{}
}

// listeners are the inodes of the sockets that listen on port, in a table as /proc/net/tcp has it.
func listeners(table string, port uint16) []string {
	var out []string
	for line := range strings.Lines(table) {
		f := strings.Fields(line)
		if len(f) < 10 || f[3] != listening {
			continue
		}
		_, hex, _ := strings.Cut(f[1], ":")
		if n, err := strconv.ParseUint(hex, 16, 16); err == nil && uint16(n) == port {
			out = append(out, f[9])
		}
	}
	return out
}
