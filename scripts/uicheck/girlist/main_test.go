package main

import (
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	const want = `SMALL_LEFT
SmallBase::gone
SmallBase:old
SmallChild::gone
SmallChild:old
SmallDead
small_base_show
small_init
`
	var got strings.Builder
	if err := run([]string{"testdata/Small.gir"}, &got); err != nil || got.String() != want {
		t.Errorf("%v, printed:\n%swant:\n%s", err, &got, want)
	}
}
