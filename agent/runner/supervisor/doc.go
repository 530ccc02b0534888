// Package supervisor runs one plugin: it starts the process, shakes hands, watches
// it, calls it, starts it again after a crash with a longer pause each time, and
// ends it. It decides nothing about what a plugin may be asked; who runs the
// plugins does, and is told of all that they say by Events.
//
// Every process is a Live of its own, with an epoch of its own, and is gone with
// all that came of it when its Live ends.
package supervisor
