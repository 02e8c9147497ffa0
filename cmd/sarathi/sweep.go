package main

import (
	"context"
	"fmt"
	"sync"

	"sarathi/internal/app"
)

// sweep runs scenarios over seeds, several at a time. The runs share nothing; what they give is handed on in order of file and
// seed, whatever the order in which they end.
type sweep struct {
	simulate func(context.Context, app.SimOptions) (*app.Report, error)
	files    []string
	seeds    uint64 // each file with 1 to this
	jobs     int    // at the same time
}

// outcome is one run that has ended.
type outcome struct {
	number int // in order
	report *app.Report
	err    error
}

// run gives each report to add, in order. It ends with the first error, of a run or of add, or when ctx ends, and returns when
// every run that was begun has ended.
func (s sweep) run(ctx context.Context, add func(*app.Report) error) error {
	ctx, cancel := context.WithCancel(ctx)
	var workers sync.WaitGroup
	defer workers.Wait()
	defer cancel()
	total := len(s.files) * int(s.seeds)
	numbers, outcomes := make(chan int), make(chan outcome)
	for range min(s.jobs, total) {
		workers.Go(func() { s.work(ctx, numbers, outcomes) })
	}
	early := map[int]*app.Report{} // ended before an earlier one; at most twice as many as there are jobs
	begun, handed := 0, 0
	for handed < total {
		next := numbers
		if begun == total || begun-handed >= 2*s.jobs { // one slow run does not let the others pile up
			next = nil
		}
		select {
		case next <- begun:
			begun++
		case o := <-outcomes:
			if o.err != nil {
				file, seed := s.at(o.number)
				return fmt.Errorf("%s, seed %d: %w", file, seed, o.err)
			}
			early[o.number] = o.report
		case <-ctx.Done():
			return ctx.Err()
		}
		for r := early[handed]; r != nil; r = early[handed] {
			delete(early, handed)
			handed++
			if err := add(r); err != nil {
				return err
			}
		}
	}
	return nil
}

// at returns what the run with this number is.
func (s sweep) at(number int) (file string, seed uint64) {
	seeds := int(s.seeds)
	return s.files[number/seeds], uint64(number%seeds) + 1
}

// work runs what it is given until ctx ends.
func (s sweep) work(ctx context.Context, numbers <-chan int, outcomes chan<- outcome) {
	for {
		select {
		case n := <-numbers:
			file, seed := s.at(n)
			report, err := s.simulate(ctx, app.SimOptions{Path: file, Seed: seed})
			select {
			case outcomes <- outcome{n, report, err}:
			case <-ctx.Done():
				return
			}
		case <-ctx.Done():
			return
		}
	}
}
