// Package words is a fixture: a text that is shown elsewhere.
package words

import "utter/shared/i18n"

// Translators: a heading, so keep it short
var Heading = i18n.Mark("What you can say")
