// Package stream passes the frames of plugins on to the clients that subscribed
// to them. It knows neither plugins by name nor the policy: its caller has already
// decided which client may subscribe to what, and which plugin provides it.
//
// A Consumer is a connection, a Producer is one life of a plugin. Neither ever waits
// for the other: Producer.Notified takes a frame without blocking, and a goroutine
// of each Consumer writes what its streams hold, in turn.
//
// A lossy stream keeps the newest frames, so a slow client sees a gap in seq that
// is as wide as what was dropped. A reliable stream loses nothing: a client has
// at most window frames more than it acknowledged, its acks are passed on as the
// plugin's own credit, and what a plugin sends in spite of that is held until a
// bound. Then the plugin's side is stopped, and after what was held the client
// gets stream.end with the reason. The end of a plugin has the same effect.
//
// The core uses it like this:
//
//	table := stream.New(stream.Options{...})   one for the runner
//	consumer := table.NewConsumer(peer)            for each connection; Close when it has ended
//	producer := table.NewProducer("id", peer)      for each life of a plugin; Close when it has ended
//
//	stream.subscribe        consumer.Subscribe, whose Reply goes back as it is
//	stream.ack, stream.stop consumer.Ack, consumer.Stop
//	a plugin's notification that is none of "$/" and capabilities.changed: producer.Notified
//	a plugin's host.emit    producer.Emit, which keeps both limits
package stream
