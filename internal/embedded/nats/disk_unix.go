//go:build linux || darwin

package nats

import "golang.org/x/sys/unix"

// diskFree is what an unprivileged program may still write on the file system of dir, in bytes.
func diskFree(dir string) (int64, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return 0, err
	}
	return int64(st.Bavail) * int64(st.Bsize), nil
}
