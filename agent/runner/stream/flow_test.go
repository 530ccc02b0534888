package stream

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"utter/shared/plugin/protocol"
)

// run plays a script on a flow and tells what came of it. The words: a number or
// "-" is a frame with that seq or none, "take" takes all there is, "one" takes
// one frame, "ack:n" acknowledges, "end" is the plugin's end.
func run(f *flow, script string) string {
	var out []string
	for _, word := range strings.Fields(script) {
		arg, isAck := strings.CutPrefix(word, "ack:")
		switch {
		case isAck:
			var n int64
			fmt.Sscan(arg, &n)
			if through, moved := f.ack(n); moved {
				out = append(out, fmt.Sprintf("acked:%d", through))
			}
		case word == "take" || word == "one":
			for f.ready() {
				next, ok := f.take()
				if !ok {
					out = append(out, fmt.Sprintf("end:%d", f.last))
					break
				}
				out = append(out, fmt.Sprint(next.seq))
				if word == "one" {
					break
				}
			}
		case word == "end":
			f.end(nil)
		default:
			seq := json.RawMessage(word)
			if word == "-" {
				seq = nil
			}
			if why := f.push(seq, nil, 1<<20); why != nil {
				out = append(out, "failed")
			}
		}
	}
	return strings.Join(out, " ")
}

func TestFlow(t *testing.T) {
	tests := []struct {
		name         string
		reliable     bool
		script, want string
	}{
		{"lossy: all, in time", false, "1 2 take 3 take", "1 2 3"},
		{"lossy: the newest three", false, "1 2 3 4 5 take", "3 4 5"},
		{"lossy: we count where the plugin does not", false, "- - - - take - take", "2 3 4 5"},
		{"lossy: its numbers, then ours", false, "7 - take", "7 8"},
		{"lossy: a seq that is not a whole number counts as none", false, `"9" 1.5 null take`, "1 2 3"},
		{"lossy: from 0", false, "0 1 take", "0 1"},
		{"lossy: its own gaps", false, "1 5 9 take", "1 5 9"},
		{"lossy: acks mean nothing", false, "1 take ack:1 2 take", "1 2"},
		{"lossy: end after what waits", false, "1 2 3 4 end 5 take", "2 3 4 end:4"},
		{"lossy: end of nothing", false, "end take", "end:0"},
		{"seq stands still", false, "1 2 2 3 take", "failed 1 2 end:2"},
		{"seq falls", true, "5 4 take", "failed 5 end:5"},
		{"negative seq", true, "-5 take", "failed end:0"},
		{"seq at its end", true, "9223372036854775807 - take", "failed 9223372036854775807 end:9223372036854775807"},

		{"reliable: a window, then it waits", true, "1 2 3 4 5 take", "1 2 3"},
		{"reliable: ack is cumulative", true, "1 2 3 4 5 6 7 take ack:3 take", "1 2 3 acked:3 4 5 6"},
		{"reliable: ack gives as much as it names", true, "1 2 3 4 5 6 take ack:1 take", "1 2 3 acked:1 4"},
		{"reliable: ack of the future is clamped", true, "1 2 3 4 5 6 7 8 take ack:99 take", "1 2 3 acked:3 4 5 6"},
		{"reliable: the same ack again gives nothing", true,
			"1 2 3 4 5 6 take ack:2 ack:2 ack:1 ack:-1 take", "1 2 3 acked:2 4 5"},
		{"reliable: ack before anything was sent", true, "1 2 3 4 ack:4 take", "1 2 3"},
		{"reliable: credit counts frames, not numbers", true, "10 20 30 40 take ack:25 take", "10 20 30 acked:20 40"},
		{"reliable: end waits for acks", true, "1 2 3 4 end take ack:1 take", "1 2 3 acked:1 4 end:4"},
		{"reliable: end needs no last ack", true, "1 2 3 end take", "1 2 3 end:3"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := &flow{reliable: tt.reliable, window: 3, lossy: 3}
			if got := run(f, tt.script); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			if f.reliable && f.dropped != 0 {
				t.Errorf("dropped %d", f.dropped)
			}
		})
	}
}

func TestFlowCountsEveryGap(t *testing.T) {
	f := &flow{lossy: 3}
	last, gaps := int64(0), int64(0)
	for i := range 1000 {
		f.push(nil, json.RawMessage(`1`), 1<<20)
		for f.ready() && i%7 == 0 {
			next, _ := f.take()
			gaps += next.seq - last - 1
			last = next.seq
		}
	}
	for f.ready() {
		next, _ := f.take()
		gaps += next.seq - last - 1
		last = next.seq
	}
	if last != 1000 || gaps != f.dropped || gaps == 0 || f.bytes != 0 {
		t.Errorf("last %d, saw gaps of %d frames, dropped %d, %d bytes left", last, gaps, f.dropped, f.bytes)
	}
}

// A plugin that keeps to its window is not stopped for the size of its frames.
func TestFlowOfLargeFramesWithinTheWindow(t *testing.T) {
	f := &flow{reliable: true, window: 20}
	data := json.RawMessage(`"` + strings.Repeat("x", 1<<20) + `"`)
	for range 20 {
		if why := f.push(nil, data, 1<<30); why != nil {
			t.Fatal(why)
		}
	}
	if why := f.push(nil, data, 0); why == nil || protocol.ErrorData(why).Reason != protocol.ReasonBusy && !f.over {
		t.Errorf("push = %v", why)
	}
}

func TestFlowWithoutRoom(t *testing.T) {
	data := json.RawMessage(`"` + strings.Repeat("x", 98) + `"`)
	f := &flow{lossy: 256}
	f.push(nil, data, 400)
	f.push(nil, data, 400-f.bytes)
	f.push(nil, data, 400-f.bytes)
	f.push(nil, data, 0) // nothing of its own to drop suffices
	if got := run(f, "take"); f.last != 4 || f.dropped == 0 || f.bytes != 0 || got == "" {
		t.Errorf("got %q, last %d, dropped %d", got, f.last, f.dropped)
	}
	r := &flow{reliable: true, window: 64}
	if why := r.push(nil, data, 10); why == nil || protocol.ErrorData(why).Reason != protocol.ReasonBusy || !r.failed {
		t.Errorf("reliable: %v", why)
	}
	if why := (&flow{lossy: 3}).push(nil, make(json.RawMessage, maxFrame+1), 1<<30); why == nil {
		t.Error("a frame that no client takes")
	}
}

func TestFlowBecomes(t *testing.T) {
	many := strings.Repeat("- ", 2000)
	tests := []struct {
		name         string
		early        flow
		before       string
		reliable     bool
		after, want  string
		failed, over bool
	}{
		{"what it was", flow{reliable: true, window: 3, lossy: 3}, "1 2 3 4", true, "take", "1 2 3", false, false},
		{"lossy after all", flow{reliable: true, window: 3, lossy: 3}, "1 2 3 4 5", false, "6 take", "4 5 6", false, false},
		{"lossy after a flood", flow{reliable: true, window: 3, lossy: 3}, many, false, "9999 take",
			"1026 1027 9999", false, false},
		{"reliable after all", flow{window: 3, lossy: 3}, "1 2", true, "3 take", "1 2 3", false, false},
		{"reliable, but some were lost", flow{window: 3, lossy: 3}, "1 2 3 4", true, "5 take", "end:0", true, false},
		{"reliable after a flood", flow{reliable: true, window: 3, lossy: 3}, many, true, "take ack:3 take",
			"1 2 3 acked:3 4 5 6", true, true},
	}
	for _, tt := range tests {
		f := tt.early
		run(&f, tt.before)
		f.become(tt.reliable, 3)
		if got := run(&f, tt.after); got != tt.want || f.failed != tt.failed || f.over != tt.over {
			t.Errorf("%s: got %s, want %s; failed %v, over %v", tt.name, got, tt.want, f.failed, f.over)
		}
	}
}
