//go:build linux || darwin

package disk

import "golang.org/x/sys/unix"

// Of is the space of the file system that path lies on.
func Of(path string) (Space, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(path, &st); err != nil {
		return Space{}, err
	}
	return Space{Free: int64(st.Bavail) * int64(st.Bsize), Total: int64(st.Blocks) * int64(st.Bsize)}, nil
}
