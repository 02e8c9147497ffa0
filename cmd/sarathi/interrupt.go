package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

// stopLimit is how long a command may take to stop after Ctrl-C. The robot's own stages need less.
const stopLimit = 2 * time.Second

const (
	exitStuck       = 1
	exitInterrupted = 130 // what shells use for a process that SIGINT ended
)

// sameRequest is how soon after the first a signal still belongs to it: wrappers signal a process and then its group.
const sameRequest = 300 * time.Millisecond

// untilInterrupted returns a context that ends with the first SIGINT, SIGTERM or SIGHUP, which a lost connection sends. A second one
// ends the process at once, and so does a command that has not stopped after stopLimit; the body then stops by its own watchdog.
// Call stop when the command has ended.
func untilInterrupted(parent context.Context, stderr io.Writer) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancel(parent)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	done := make(chan struct{})
	var watcher sync.WaitGroup
	watcher.Go(func() {
		select {
		case <-signals:
			cancel()
		case <-done:
			return
		}
		began, limit := time.Now(), time.After(stopLimit)
		for {
			select {
			case <-signals:
				if time.Since(began) >= sameRequest {
					os.Exit(exitInterrupted)
				}
			case <-limit:
				fmt.Fprintf(stderr, "sarathi: did not stop within %v, ended the hard way\n", stopLimit)
				os.Exit(exitStuck)
			case <-done:
				return
			}
		}
	})
	return ctx, func() {
		signal.Stop(signals)
		close(done)
		watcher.Wait()
		cancel()
	}
}
