package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestFramesAreCommitsWithABuffer(t *testing.T) {
	now := time.Now()
	line := func(ago time.Duration, text string) string {
		us := uint32(now.Add(-ago).UnixMicro())
		return fmt.Sprintf("[%7d.%03d] %s", us/1000, us%1000, text)
	}
	var p program
	p.follow(strings.NewReader(strings.Join([]string{
		line(90*time.Millisecond, "{Default Queue}  -> wl_compositor#5.create_surface(new id wl_surface#28)"),
		line(80*time.Millisecond, " -> wl_surface#28.commit()"), // asks for a size
		line(60*time.Millisecond, " -> wl_surface#28.attach(wl_buffer#42, 0, 0)"),
		"(utter-settings:1): a warning of GTK",
		line(50*time.Millisecond, " -> wl_surface#9.commit()"), // a cursor
		line(40*time.Millisecond, " -> wl_surface#28.commit()"),
		line(30*time.Millisecond, " -> wl_surface#28.attach(nil, 0, 0)"),
		line(20*time.Millisecond, " -> wl_surface#28.commit()"), // hidden
	}, "\n")))
	var ago []time.Duration
	for _, f := range p.after(now.Add(-time.Second)) {
		ago = append(ago, now.Sub(f).Round(time.Millisecond))
	}
	if !slices.Equal(ago, []time.Duration{40 * time.Millisecond}) {
		t.Errorf("frames %v ago, want one 40ms ago", ago)
	}
}
