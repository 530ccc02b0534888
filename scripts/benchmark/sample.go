package main

import (
	"errors"
	"slices"
	"time"
)

// A sample is many timings of one thing.
type sample []time.Duration

func (s sample) at(percent int) time.Duration {
	slices.Sort(s)
	return s[min(len(s)-1, len(s)*percent/100)]
}

// measure times f n times.
func measure(n int, f func() error) (sample, error) {
	s := make(sample, n)
	for i := range s {
		began := time.Now()
		if err := f(); err != nil {
			return nil, err
		}
		s[i] = time.Since(began)
	}
	return s, nil
}

func ms(d time.Duration) float64 { return d.Seconds() * 1e3 }

// await tries ok often for some seconds.
func await(ok func() bool) error {
	for deadline := time.Now().Add(15 * time.Second); time.Now().Before(deadline); {
		if ok() {
			return nil
		}
		time.Sleep(200 * time.Microsecond)
	}
	return errors.New("it did not come in time")
}
