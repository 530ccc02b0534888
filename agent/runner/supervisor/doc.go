// Package supervisor runs one plugin: it starts the process, performs the
// handshake, watches it, calls it, restarts it after a crash with increasing
// delays, and stops it. It does not decide what may be requested of a plugin; its
// caller does, and receives everything that the plugin sends as Events.
//
// Each process is a Live with its own epoch. When the Live ends, the process and
// everything that belongs to it are gone.
package supervisor
