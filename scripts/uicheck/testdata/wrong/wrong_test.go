package wrong

import "testing"

func TestRight(t *testing.T) { right(t) }
