package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"utter/shared/bus"
)

// typing holds 1,000 mixed characters into foot against wtype: from the call
// until the file that the terminal's program writes has them all.
func (b *agentBench) typing() error {
	text := mixed(1000)
	ours, err := b.typeInto("utter", text, 0, func() error {
		return b.agent.Call(bus.Interface+".Run", 0, "type "+text).Err
	})
	if err != nil {
		return err
	}
	// A fresh keyboard of wtype's may lose its first keys.
	const lost = 4
	theirs, err := b.typeInto("wtype", text, lost, func() error { return exec.Command("wtype", "--", text).Run() })
	if err != nil {
		return err
	}
	ratio := float64(ours) / float64(theirs)
	b.row("type 1,000 mixed characters into foot, exactly",
		fmt.Sprintf("%.1f ms, 1/%.0f of wtype's time", ours.Seconds()*1e3, 1/ratio),
		fmt.Sprintf("wtype: %.0f ms", theirs.Seconds()*1e3), "≤ 1/100", ratio <= 0.01)
	return nil
}

// mixed is text of n characters with some of everything, without line breaks.
func mixed(n int) string {
	const some = `The quick brown fox, "jumps" over {the} lazy dog; 0123456789 + äöü ß € é → $HOME 'x' \ | & `
	runes := []rune(strings.Repeat(some, n/len([]rune(some))+1))
	return string(runes[:n-1]) + "."
}

// typeInto opens a terminal whose program copies what it gets into a file, has
// the text typed, and times until it is there, but for its first lost bytes.
func (b *agentBench) typeInto(name, text string, lost int, act func() error) (time.Duration, error) {
	file := filepath.Join(os.Getenv("HOME"), name+".txt")
	// Without the line editor the text arrives character by character.
	foot := exec.Command("foot", "--app-id=bench-"+name, "sh", "-c",
		"stty -icanon -echo; touch "+file+".ready; exec cat >"+file)
	if err := foot.Start(); err != nil {
		return 0, err
	}
	defer func() { foot.Process.Kill(); foot.Wait() }()
	if err := await(func() bool { _, err := os.Stat(file + ".ready"); return err == nil }); err != nil {
		return 0, fmt.Errorf("foot: %w", err)
	}
	time.Sleep(500 * time.Millisecond) // until it has the focus and is drawn
	began := time.Now()
	if err := act(); err != nil {
		return 0, fmt.Errorf("%s: %w", name, err)
	}
	var got []byte
	err := await(func() bool {
		got, _ = os.ReadFile(file) // tried again
		return len(got) >= len(text)-lost && bytes.HasSuffix([]byte(text), got)
	})
	took := time.Since(began)
	if err != nil {
		return 0, fmt.Errorf("%s: the file has %d of %d bytes, or others: %w", name, len(got), len(text), err)
	}
	return took, nil
}
