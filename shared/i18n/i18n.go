// Package i18n marks texts of shared packages that the settings app translates.
// It translates nothing itself: that needs the catalogue, which only the app has.
package i18n

// Mark returns english. scripts/po collects what is marked, and the settings app
// shows it in the user's language.
func Mark(english string) string { return english }
