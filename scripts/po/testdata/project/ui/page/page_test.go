package page

import "utter/ui/model/tr"

var _ = tr.T("in a test, so not for translators")
