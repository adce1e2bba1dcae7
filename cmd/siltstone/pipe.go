package main

import (
	"errors"
	"io"
	"sync/atomic"
	"syscall"
)

// pipe is standard output. Once nobody reads it any more, as after siltstone memories | head, it swallows what is
// written and ends the command by cut, quietly; a command that lasts goes on.
type pipe struct {
	w     io.Writer
	cut   func()
	lasts atomic.Bool // the command works on for others: siltstone up

	broken atomic.Bool
}

func (p *pipe) Write(b []byte) (int, error) {
	if p.broken.Load() {
		return len(b), nil
	}
	n, err := p.w.Write(b)
	if errors.Is(err, syscall.EPIPE) {
		p.broken.Store(true)
		if !p.lasts.Load() {
			p.cut()
		}
		return len(b), nil
	}
	return n, err
}

// cutOff reports whether the command was ended because nobody reads what it prints.
func (e *env) cutOff() bool {
	p, ok := e.out.(*pipe)
	return ok && p.broken.Load() && !p.lasts.Load()
}

// outlive makes the command go on though nobody reads what it prints.
func (e *env) outlive() {
	if p, ok := e.out.(*pipe); ok {
		p.lasts.Store(true)
	}
}
