package main

import t "utter/ui/model/tr"

var name = t.T("Utter")
