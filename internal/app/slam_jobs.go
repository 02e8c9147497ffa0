package app

import (
	"sync"

	slamnode "sarathi/internal/nodes/slam"
)

// jobs lets the work beside the slam node end before the node is stopped: it may take longer than a stage has, and the map is wanted. Work that
// begins later is left to the engine's Finish. Only the node's loop calls the engine; close is for another goroutine.
type jobs struct {
	slamnode.Engine

	of   slamnode.Job // the engine's, that last is
	last *job

	mu     sync.Mutex // held while work runs
	closed bool
}

// Job implements slamnode.Engine.
func (j *jobs) Job() slamnode.Job {
	of := j.Engine.Job()
	if of == nil {
		return nil
	}
	if of != j.of {
		j.of, j.last = of, &job{of, j}
	}
	return j.last
}

// close waits for the work that runs, and lets no more begin.
func (j *jobs) close() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.closed = true
}

// job is a piece of work.
type job struct {
	slamnode.Job

	jobs *jobs
}

// Run implements slamnode.Job.
func (j *job) Run() {
	j.jobs.mu.Lock()
	defer j.jobs.mu.Unlock()
	if !j.jobs.closed {
		j.Job.Run()
	}
}
